//! `selfmade pack …`: Packs.

mod list;
mod load;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Load(load::Arguments),
    List(list::Arguments),
}

pub(crate) async fn run(session: &Session, brain: &Brain, command: Command) -> Result<Exit, Error> {
    match command {
        Command::Load(arguments) => load::run(session, brain, arguments).await,
        Command::List(arguments) => list::run(session, brain, &arguments).await,
    }
}
