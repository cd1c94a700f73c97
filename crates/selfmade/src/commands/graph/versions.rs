//! `selfmade graph versions`: all Versions of a Graph.

use serde_json::json;

use super::name;
use crate::client::Brain;
use crate::commands::function::versions::table;
use crate::error::{Error, Exit};
use crate::session::Session;

/// List the versions of a graph, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph versions news
  selfmade graph use news 1        make version 1 live again")]
pub(crate) struct Arguments {
    name: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let mut versions = brain.graph_versions(&name(&arguments.name)?).await?;
    versions.reverse();
    session.output.answer(&json!({ "versions": versions }), |screen| table(&versions, screen))?;
    if versions.iter().all(|version| !version.live) {
        session.output.note("none is live: the graph was deleted");
    }
    Ok(Exit::Done)
}
