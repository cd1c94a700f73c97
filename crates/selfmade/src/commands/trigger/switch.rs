//! `selfmade trigger enable` and `disable`.

use super::name;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::applied;

/// Enable a trigger; events from while it was disabled are ignored
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade trigger enable check_it")]
pub(crate) struct Enable {
    pub(super) name: String,
}

/// Disable a trigger, so that it starts nothing
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade trigger disable check_it")]
pub(crate) struct Disable {
    pub(super) name: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, text: &str, enabled: bool) -> Result<Exit, Error> {
    let applied = brain.enable_trigger(&name(text)?, enabled).await?;
    applied::show(&session.output, &applied)?;
    Ok(Exit::Done)
}
