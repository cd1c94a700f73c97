//! `selfmade schedule …`: Schedules.

mod add;
mod list;
mod rm;
mod run;
mod show;
mod switch;

use jiff::Timestamp;
use model::name::EntryName;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Add(add::Arguments),
    List(list::Arguments),
    Show(show::Arguments),
    Pause(switch::Pause),
    Resume(switch::Resume),
    #[command(visible_alias = "remove")]
    Rm(rm::Arguments),
    Run(run::Arguments),
}

pub(crate) async fn run(session: &Session, brain: &Brain, command: Command) -> Result<Exit, Error> {
    match command {
        Command::Add(arguments) => add::run(session, brain, arguments).await,
        Command::List(arguments) => list::run(session, brain, &arguments).await,
        Command::Show(arguments) => show::run(session, brain, &arguments).await,
        Command::Pause(arguments) => switch::run(session, brain, &arguments.name, true).await,
        Command::Resume(arguments) => switch::run(session, brain, &arguments.name, false).await,
        Command::Rm(arguments) => rm::run(session, brain, &arguments).await,
        Command::Run(arguments) => run::run(session, brain, arguments).await,
    }
}

/// A name as it was typed. What is no name is refused by the rule for names, with its hint.
fn name(text: &str) -> Result<EntryName, Error> {
    Ok(EntryName::new(text).map_err(server::Error::from)?)
}

/// As the clock of the zone shows it.
fn in_zone(at: Timestamp, zone: &str) -> String {
    let zone = model::schedule::timetable::zone(zone).unwrap_or(jiff::tz::TimeZone::UTC);
    at.to_zoned(zone).strftime("%a %Y-%m-%d %H:%M:%S %Z").to_string()
}
