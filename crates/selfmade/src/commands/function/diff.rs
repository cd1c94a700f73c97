//! `selfmade fn diff`: two Versions of a Function, compared over the text in which they are exported.

use model::version::VersionNumber;
use serde_json::json;
use server::app::functions::{self, VersionLine, Which};

use super::key;
use crate::diff_view;
use crate::error::{Error, Exit};
use crate::session::{Brain, Session};

/// Compare two versions of a function
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade fn diff greet          the version before the live one, and the live one
  selfmade fn diff greet 1        version 1, and the live one
  selfmade fn diff greet 1 3")]
pub(crate) struct Arguments {
    name: String,
    /// The older version [default: the one before NEW]
    old: Option<VersionNumber>,
    /// The newer version [default: the live one]
    new: Option<VersionNumber>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let key = key(&arguments.name)?;
    let versions = functions::versions(&brain.ctx, &key).await?;
    let new = arguments.new.unwrap_or_else(|| newest(&versions));
    let old = match arguments.old {
        Some(old) => old,
        None => before(&versions, new).ok_or_else(|| Error::Input {
            problem: format!("function `{}` has no version before {new} to compare with", key.name),
            hint: format!("`selfmade fn show {}` shows what there is", key.name),
        })?,
    };
    let diff = functions::diff(&brain.ctx, &key, Which::Number(old), Which::Number(new)).await?;
    let document = json!({ "name": key.name, "old": old, "new": new, "hunks": diff.hunks });
    session.output.answer(&document, |_| {
        if diff.is_empty() {
            return String::new();
        }
        diff_view::render(&format!("{}@{old}", key.name), &format!("{}@{new}", key.name), &diff)
    })?;
    if diff.is_empty() {
        session.output.note(format!("versions {old} and {new} are the same"));
    }
    Ok(Exit::Done)
}

/// The live one; of a deleted function the last.
fn newest(versions: &[VersionLine]) -> VersionNumber {
    let live = versions.iter().find(|version| version.live).or(versions.last());
    live.map_or(VersionNumber::FIRST, |version| version.head.number)
}

fn before(versions: &[VersionLine], new: VersionNumber) -> Option<VersionNumber> {
    versions.iter().map(|version| version.head.number).filter(|number| *number < new).max()
}
