//! `selfmade graph use`: another Version of a Graph becomes the live one.

use model::version::VersionNumber;

use super::name;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::applied;

/// Make another version of a graph live
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph versions news     which there are
  selfmade graph use news 1")]
pub(crate) struct Arguments {
    name: String,
    version: VersionNumber,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let done = brain.use_graph_version(&name(&arguments.name)?, arguments.version).await?;
    applied::show(&session.output, &done)?;
    Ok(Exit::Done)
}
