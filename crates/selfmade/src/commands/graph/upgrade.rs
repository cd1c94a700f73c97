//! `selfmade graph upgrade`: moves nodes to the live versions of what they call.

use model::graph::upgrade::{Upgrade, patches};
use model::name::EntryName;

use super::draft::patch;
use super::name;
use crate::client::{Brain, GraphSource};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::upgrades;

/// Move nodes that pin an older version to the live one, in the draft
///
/// All such nodes if none is named. Links and constants that no longer fit are problems of the draft: it is applied when they are mended.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph upgrade news
  selfmade graph upgrade news fetch parse
  selfmade graph apply news --edit 5")]
pub(crate) struct Arguments {
    name: String,
    /// Only these nodes
    #[arg(value_name = "NODE")]
    nodes: Vec<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let name = name(&arguments.name)?;
    let edit = draft(brain, &name).await?;
    let source = GraphSource { version: None, draft: edit.is_some() };
    let found = chosen(brain.graph_upgrades(&name, source).await?, &arguments.nodes, &name)?;
    if found.is_empty() {
        session.output.answer(&serde_json::json!({ "upgrades": [] }), |_| String::new())?;
        session.output.note("every node that pins a version pins the live one");
        return Ok(Exit::Done);
    }
    session.output.report(&upgrades::lines(&found));
    let edited = brain.patch_graph(&name, &patches(&found), edit).await?;
    patch::show(session, &name, &edited, None)?;
    Ok(Exit::Done)
}

/// The last edit of the draft, if there is one.
async fn draft(brain: &Brain, name: &EntryName) -> Result<Option<u64>, Error> {
    match brain.graph_draft(name).await {
        Ok(draft) => Ok(Some(draft.edit)),
        Err(error) if error.code() == "no_draft" => Ok(None),
        Err(error) => Err(error),
    }
}

fn chosen(found: Vec<Upgrade>, nodes: &[String], name: &EntryName) -> Result<Vec<Upgrade>, Error> {
    let is_there = |node: &&String| found.iter().any(|upgrade| upgrade.node == **node);
    if let Some(node) = nodes.iter().find(|node| !is_there(node)) {
        return Err(Error::Input {
            problem: format!("node `{node}` of `{name}` does not pin an older version"),
            hint: format!("`selfmade graph upgrades {name}` lists those that do"),
        });
    }
    Ok(found.into_iter().filter(|upgrade| nodes.is_empty() || nodes.contains(&upgrade.node)).collect())
}
