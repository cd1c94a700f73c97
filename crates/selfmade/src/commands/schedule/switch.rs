//! `selfmade schedule pause` and `resume`.

use super::name;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::applied;

/// Pause a schedule, so that it does not tick
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade schedule pause nightly")]
pub(crate) struct Pause {
    pub(super) name: String,
}

/// Resume a schedule; ticks missed while it was paused are not made up for
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade schedule resume nightly")]
pub(crate) struct Resume {
    pub(super) name: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, text: &str, paused: bool) -> Result<Exit, Error> {
    let applied = brain.pause_schedule(&name(text)?, paused).await?;
    applied::show(&session.output, &applied)?;
    Ok(Exit::Done)
}
