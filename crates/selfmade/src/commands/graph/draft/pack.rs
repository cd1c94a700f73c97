//! `selfmade graph pack`: a selection becomes a graph of its own.

use server::app::graphs::drafts::Selection;

use super::patch;
use crate::client::Brain;
use crate::commands::graph::name;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Turn nodes of a draft into a graph of their own
///
/// One node that calls the new graph takes their place. The new graph is a draft, too; apply both together.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph pack news fetch parse --node articles --graph news.articles
  selfmade graph apply news --edit 5 --with news.articles@0")]
pub(crate) struct Arguments {
    name: String,
    /// The nodes to take out
    #[arg(required = true, value_name = "NODE")]
    nodes: Vec<String>,
    /// The id of the node that takes their place
    #[arg(long, value_name = "ID")]
    node: String,
    /// The name of the new graph
    #[arg(long, value_name = "NAME")]
    graph: String,
    /// The last edit that you have seen: if a later one touched the same nodes, nothing is changed
    #[arg(long, value_name = "N")]
    edit: Option<u64>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let (name, graph) = (name(&arguments.name)?, name(&arguments.graph)?);
    let Arguments { nodes, node, edit, .. } = arguments;
    let selection = Selection { nodes: nodes.into_iter().collect(), node, graph };
    let edited = brain.pack_nodes(&name, &selection, edit).await?;
    patch::show(session, &name, &edited, Some(&selection.graph))?;
    Ok(Exit::Done)
}
