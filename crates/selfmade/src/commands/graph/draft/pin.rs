//! `selfmade graph pin` and `unpin`: outputs that runs of a draft send instead of executing a node.

use serde_json::json;

use crate::client::Brain;
use crate::commands::graph::name;
use crate::commands::runs::Reference;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Pin what a node gave in a run, so that runs of the draft need not execute it
///
/// The outputs are stored beside the draft. They are no part of the graph, are never applied, and go with the draft.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade graph pin news fetch --from 391ab633")]
pub(crate) struct Arguments {
    name: String,
    node: String,
    /// The run of the graph
    #[arg(long, value_name = "ID")]
    from: Reference,
    /// Which execution of the node; the last, if this is omitted
    #[arg(long, value_name = "N")]
    number: Option<u32>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let (name, node) = (name(&arguments.name)?, &arguments.node);
    let run = arguments.from.id(brain).await?;
    let pinning = json!({ "run": run, "number": arguments.number });
    let pinned = brain.pin_node(&name, node, &pinning).await?;
    session.output.answer(&pinned, |_| String::new())?;
    session.output.note(format!("runs of the draft of `{name}` do not execute `{node}`"));
    Ok(Exit::Done)
}

/// Let runs of the draft execute a pinned node again
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade graph unpin news fetch")]
pub(crate) struct UnpinArguments {
    name: String,
    node: String,
}

pub(crate) async fn unpin(
    session: &Session,
    brain: &Brain,
    arguments: UnpinArguments,
) -> Result<Exit, Error> {
    let (name, node) = (name(&arguments.name)?, &arguments.node);
    brain.unpin_node(&name, node).await?;
    session.output.answer(&json!({ "unpinned": node }), |_| String::new())?;
    session.output.note(format!("runs of the draft of `{name}` execute `{node}` again"));
    Ok(Exit::Done)
}
