//! `selfmade secret …`: Secrets. Their values go in and are never shown.

mod list;
mod rm;
mod set;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Set(set::Arguments),
    List(list::Arguments),
    Rm(rm::Arguments),
}

pub(crate) async fn run(session: &Session, brain: &Brain, command: Command) -> Result<Exit, Error> {
    match command {
        Command::Set(arguments) => set::run(session, brain, arguments).await,
        Command::List(_) => list::run(session, brain).await,
        Command::Rm(arguments) => rm::run(session, brain, arguments).await,
    }
}
