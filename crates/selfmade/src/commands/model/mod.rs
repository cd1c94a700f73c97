//! `selfmade model …`: language models that functions and agents ask.

mod add;
mod find;
mod list;
mod rm;
mod show;
mod test;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Add(Box<add::Arguments>),
    List(list::Arguments),
    Show(show::Arguments),
    Test(test::Arguments),
    Find(find::Arguments),
    #[command(visible_alias = "remove")]
    Rm(rm::Arguments),
}

pub(crate) async fn run(session: &Session, brain: &Brain, command: Command) -> Result<Exit, Error> {
    match command {
        Command::Add(arguments) => add::run(session, brain, &arguments).await,
        Command::List(_) => list::run(session, brain).await,
        Command::Show(arguments) => show::run(session, brain, &arguments).await,
        Command::Test(arguments) => test::run(session, brain, &arguments).await,
        Command::Find(_) => find::run(session, brain).await,
        Command::Rm(arguments) => rm::run(session, brain, &arguments).await,
    }
}
