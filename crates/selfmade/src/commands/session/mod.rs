//! `selfmade session …`: Sessions, which browsers that have signed in have.

mod list;
mod rm;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    List(list::Arguments),
    Rm(rm::Arguments),
}

pub(crate) async fn run(session: &Session, brain: &Brain, command: Command) -> Result<Exit, Error> {
    match command {
        Command::List(_) => list::run(session, brain).await,
        Command::Rm(arguments) => rm::run(session, brain, arguments).await,
    }
}
