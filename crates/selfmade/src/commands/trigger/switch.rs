//! `selfmade trigger enable` and `disable`.

use super::name;
use crate::applied;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Enable a trigger; what happened while it was disabled is let be
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
