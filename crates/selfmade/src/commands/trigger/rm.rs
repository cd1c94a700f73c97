//! `selfmade trigger rm`.

use super::name;
use crate::applied;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Remove a trigger
///
/// Its versions and what it did are kept, so that the changeset can be reverted.
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
