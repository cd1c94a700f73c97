//! `selfmade fn diff`: two Versions of a Function, compared over the text in which they are exported.

use model::version::VersionNumber;
use serde_json::json;
use server::app::functions::VersionLine;

use super::name;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::diff;

/// Compare two versions of a function
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade fn diff greet          what was live before, and the live version
  selfmade fn diff greet 1        version 1, and the live one
  selfmade fn diff greet 1 3")]
pub(crate) struct Arguments {
    name: String,
    /// The older version [default: the one that was live before NEW]
    old: Option<VersionNumber>,
    /// The newer version [default: the live one]
    new: Option<VersionNumber>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let name = name(&arguments.name)?;
    let versions = brain.versions(&name).await?;
    let new = arguments.new.unwrap_or_else(|| newest(&versions));
    let old = match arguments.old {
        Some(old) => old,
        None => before(&versions, new).ok_or_else(|| Error::Input {
            problem: format!("function `{name}` has no version before {new} to compare with"),
            hint: format!("`selfmade fn show {name}` shows what there is"),
        })?,
    };
    let diff = brain.diff(&name, old, new).await?;
    let document = json!({ "name": name, "old": old, "new": new, "hunks": diff.hunks });
    session.output.answer(&document, |_| {
        if diff.is_empty() {
            return String::new();
        }
        diff::render(&format!("{name}@{old}"), &format!("{name}@{new}"), &diff)
    })?;
    if diff.is_empty() {
        session.output.note(format!("versions {old} and {new} are the same"));
    }
    Ok(Exit::Done)
}

/// The live one; of a deleted entry the last.
pub(crate) fn newest(versions: &[VersionLine]) -> VersionNumber {
    let live = versions.iter().find(|version| version.live).or(versions.last());
    live.map_or(VersionNumber::FIRST, |version| version.head.number)
}

/// What was live before; for a version that never was live, the one before.
pub(crate) fn before(versions: &[VersionLine], new: VersionNumber) -> Option<VersionNumber> {
    let line = versions.iter().find(|version| version.head.number == new);
    line.and_then(|line| line.live_before).or_else(|| previous(versions, new))
}

fn previous(versions: &[VersionLine], new: VersionNumber) -> Option<VersionNumber> {
    versions.iter().map(|version| version.head.number).filter(|number| *number < new).max()
}
