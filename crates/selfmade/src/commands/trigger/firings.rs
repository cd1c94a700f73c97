//! `selfmade trigger firings`: what a Trigger did about each Event, and why it did not.

use server::app::runs::ids::short;
use server::app::triggers::FiringLine;

use super::name;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{BAD, DIM, NAME};
use crate::terminal::table::{Cell, Table};

/// List the firings of a trigger, newest first: which run it started, or what stopped it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade trigger firings check_it
  selfmade trigger firings check_it --limit 100 --before 4711   the next page")]
pub(crate) struct Arguments {
    name: String,
    /// How many to show
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// Only firings for events before this one
    #[arg(long, value_name = "EVENT")]
    before: Option<u64>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let trigger = name(&arguments.name)?;
    let page = brain.firings(&trigger, arguments.before, arguments.limit).await?;
    session.output.answer(&page, |screen| table(&page.firings, screen))?;
    match page.next {
        Some(last) => session.output.note(format!("there are more; `--before {last}` shows them")),
        None if page.firings.is_empty() => session.output.note("there are none"),
        None => {}
    }
    Ok(Exit::Done)
}

pub(super) fn table(firings: &[FiringLine], screen: &Screen) -> String {
    let mut table = Table::new(&["event", "when", "kind", "source", "run", "stopped"], 5);
    for firing in firings {
        // What was taken back is no run any more.
        let run = firing.run_id.filter(|_| firing.stopped.is_none()).map(short).unwrap_or_default();
        table.row(vec![
            firing.seq.to_string().into(),
            Cell::painted(DIM, screen.time(firing.at)),
            firing.kind.as_ref().map(ToString::to_string).unwrap_or_default().into(),
            firing.source.as_str().into(),
            Cell::painted(NAME, run),
            Cell::painted(BAD, firing.stopped.as_deref().unwrap_or_default()),
        ]);
    }
    table.render(screen)
}
