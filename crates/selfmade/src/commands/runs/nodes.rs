//! `selfmade runs nodes`: what the nodes of a graph did in a run.

use serde_json::json;

use super::Reference;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::node_executions;

/// List the node executions of a run of a graph, in the order in which they began
///
/// Long values are truncated; --json shows them whole, and up to 1,000 that left an execution.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade runs nodes 391ab633
  selfmade runs nodes 391ab633 --node fetch --limit 1000
  selfmade runs nodes 391ab633 --json | jq '.nodes[] | select(.state == \"failed\")'")]
pub(crate) struct Arguments {
    /// The id of the run, or the beginning or end of it
    #[arg(value_name = "ID")]
    run: Reference,
    /// Only executions of this node
    #[arg(long, value_name = "NODE")]
    node: Option<String>,
    /// How many to show
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    limit: u32,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let id = arguments.run.id(brain).await?;
    let (mut nodes, has_more) = brain.nodes(id, arguments.node.as_deref(), arguments.limit).await?;
    let limit = arguments.limit as usize;
    let has_more = has_more || nodes.len() > limit;
    nodes.truncate(limit);
    let document = json!({ "nodes": nodes, "more": has_more });
    session.output.answer(&document, |screen| node_executions::table(&nodes, screen))?;
    if has_more {
        session.output.note(format!("there are more; `--limit {}` shows them", limit * 10));
    } else if nodes.is_empty() {
        session.output.note("there are none");
    }
    Ok(Exit::Done)
}
