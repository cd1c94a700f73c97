//! `selfmade preset …`: named inputs of functions and graphs.

mod list;
mod rm;
mod set;
mod show;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Set(set::Arguments),
    List(list::Arguments),
    Show(show::Arguments),
    #[command(visible_alias = "remove")]
    Rm(rm::Arguments),
}

pub(crate) async fn run(session: &Session, brain: &Brain, command: Command) -> Result<Exit, Error> {
    match command {
        Command::Set(arguments) => set::run(session, brain, &arguments).await,
        Command::List(arguments) => list::run(session, brain, &arguments).await,
        Command::Show(arguments) => show::run(session, brain, &arguments).await,
        Command::Rm(arguments) => rm::run(session, brain, &arguments).await,
    }
}
