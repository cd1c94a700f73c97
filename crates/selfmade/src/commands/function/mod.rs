//! `selfmade fn …`: Functions.

mod add;
mod dependents;
pub(super) mod diff;
mod edit;
pub(super) mod list;
mod rm;
mod show;
mod use_version;
pub(super) mod versions;
mod why;

use model::name::EntryName;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Add(add::Arguments),
    List(list::Arguments),
    Show(show::Arguments),
    Edit(edit::Arguments),
    Rm(rm::Arguments),
    Versions(versions::Arguments),
    Diff(diff::Arguments),
    Use(use_version::Arguments),
    Dependents(dependents::Arguments),
    Why(why::Arguments),
}

pub(crate) async fn run(session: &Session, brain: &Brain, command: Command) -> Result<Exit, Error> {
    match command {
        Command::Add(arguments) => add::run(session, brain, arguments).await,
        Command::List(arguments) => list::run(session, brain, arguments).await,
        Command::Show(arguments) => show::run(session, brain, arguments).await,
        Command::Edit(arguments) => edit::run(session, brain, arguments).await,
        Command::Rm(arguments) => rm::run(session, brain, arguments).await,
        Command::Versions(arguments) => versions::run(session, brain, arguments).await,
        Command::Diff(arguments) => diff::run(session, brain, arguments).await,
        Command::Use(arguments) => use_version::run(session, brain, arguments).await,
        Command::Dependents(arguments) => dependents::run(session, brain, arguments).await,
        Command::Why(arguments) => why::run(session, brain, arguments).await,
    }
}

/// A name as it was typed. What is no name is refused by the rule for names, with its hint.
fn name(text: &str) -> Result<EntryName, Error> {
    Ok(EntryName::new(text).map_err(server::Error::from)?)
}
