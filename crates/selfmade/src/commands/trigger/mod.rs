//! `selfmade trigger …`: Triggers.

mod add;
mod firings;
mod list;
mod rm;
mod show;
mod switch;
mod test;

use model::name::EntryName;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Add(add::Arguments),
    List(list::Arguments),
    Show(show::Arguments),
    Test(test::Arguments),
    Enable(switch::Enable),
    Disable(switch::Disable),
    #[command(visible_alias = "remove")]
    Rm(rm::Arguments),
    Firings(firings::Arguments),
}

pub(crate) async fn run(session: &Session, brain: &Brain, command: Command) -> Result<Exit, Error> {
    match command {
        Command::Add(arguments) => add::run(session, brain, arguments).await,
        Command::List(arguments) => list::run(session, brain, &arguments).await,
        Command::Show(arguments) => show::run(session, brain, &arguments).await,
        Command::Test(arguments) => test::run(session, brain, arguments).await,
        Command::Enable(arguments) => switch::run(session, brain, &arguments.name, true).await,
        Command::Disable(arguments) => switch::run(session, brain, &arguments.name, false).await,
        Command::Rm(arguments) => rm::run(session, brain, &arguments).await,
        Command::Firings(arguments) => firings::run(session, brain, &arguments).await,
    }
}

/// A name as it was typed. What is no name is refused by the rule for names, with its hint.
pub(super) fn name(text: &str) -> Result<EntryName, Error> {
    Ok(EntryName::new(text).map_err(server::Error::from)?)
}
