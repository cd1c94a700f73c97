//! `selfmade graph diff`: two Versions of a Graph over their JSON, or its draft over nodes and links.

use model::version::VersionNumber;
use serde_json::json;

use super::name;
use crate::client::Brain;
use crate::commands::function::diff::{before, newest};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::{diff, graph_diff};

/// Compare two versions of a graph, or its draft with the version that it began with
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph diff news          the version before the live one, and the live one
  selfmade graph diff news 1        version 1, and the live one
  selfmade graph diff news 1 3
  selfmade graph diff news --draft")]
pub(crate) struct Arguments {
    name: String,
    /// The older version [default: the one before NEW]
    old: Option<VersionNumber>,
    /// The newer version [default: the live one]
    new: Option<VersionNumber>,
    /// What its draft changes
    #[arg(long, conflicts_with_all = ["old", "new"])]
    draft: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let name = name(&arguments.name)?;
    if arguments.draft {
        let view = brain.graph_draft(&name).await?;
        session.output.answer(&view.diff, |_| graph_diff::lines(&view.diff))?;
        if view.diff.is_empty() {
            session.output.note("the draft changes nothing");
        }
        return Ok(Exit::Done);
    }
    let versions = brain.graph_versions(&name).await?;
    let new = arguments.new.unwrap_or_else(|| newest(&versions));
    let old = arguments.old.or_else(|| before(&versions, new)).ok_or_else(|| Error::Input {
        problem: format!("graph `{name}` has no version before {new} to compare with"),
        hint: format!("`selfmade graph versions {name}` lists its versions"),
    })?;
    let diff = brain.graph_diff(&name, old, new).await?;
    let document = json!({ "name": name, "old": old, "new": new, "hunks": diff.hunks });
    let heads = (format!("{name}@{old}"), format!("{name}@{new}"));
    let text = if diff.is_empty() { String::new() } else { diff::render(&heads.0, &heads.1, &diff) };
    session.output.answer(&document, |_| text)?;
    if diff.is_empty() {
        session.output.note(format!("versions {old} and {new} are the same"));
    }
    Ok(Exit::Done)
}
