//! `selfmade trigger rm`.

use super::name;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::applied;

/// Remove a trigger
///
/// Its versions and history are kept, so the changeset can be reverted.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade trigger rm check_it")]
pub(crate) struct Arguments {
    name: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let applied = brain.remove_trigger(&name(&arguments.name)?).await?;
    applied::show(&session.output, &applied)?;
    Ok(Exit::Done)
}
