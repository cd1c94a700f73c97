//! `selfmade graph discard`: a draft that is not wanted.

use serde_json::json;

use crate::client::Brain;
use crate::commands::graph::name;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Discard the draft of a graph
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade graph discard news")]
pub(crate) struct Arguments {
    name: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let name = name(&arguments.name)?;
    brain.discard_graph_draft(&name).await?;
    session.output.answer(&json!({ "discarded": name }), |_| String::new())?;
    session.output.note(format!("the draft of `{name}` was discarded"));
    Ok(Exit::Done)
}
