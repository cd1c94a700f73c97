//! `selfmade fn use`: another Version of a Function becomes the live one.

use model::version::VersionNumber;

use super::name;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::applied;

/// Make another version of a function live
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade fn versions greet     which there are
  selfmade fn use greet 1")]
pub(crate) struct Arguments {
    name: String,
    version: VersionNumber,
    /// Apply it even if stored callers, triggers, schedules or graphs no longer fit
    #[arg(long)]
    force: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let done = brain.use_version(&name(&arguments.name)?, arguments.version, arguments.force).await?;
    applied::show(&session.output, &done)?;
    Ok(Exit::Done)
}
