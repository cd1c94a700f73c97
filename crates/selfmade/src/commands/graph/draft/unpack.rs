//! `selfmade graph unpack`: what a graph contains, in the place of the node that calls it.

use super::patch;
use crate::client::Brain;
use crate::commands::graph::name;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Put the nodes of a graph in the place of the node that calls it
///
/// The graph itself stays.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade graph unpack news articles")]
pub(crate) struct Arguments {
    name: String,
    /// A node whose block is a graph
    node: String,
    /// The last edit that you have seen: if a later one touched the same nodes, nothing is changed
    #[arg(long, value_name = "N")]
    edit: Option<u64>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let name = name(&arguments.name)?;
    let edited = brain.unpack_node(&name, &arguments.node, arguments.edit).await?;
    patch::show(session, &name, &edited, None)?;
    Ok(Exit::Done)
}
