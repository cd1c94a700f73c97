//! `selfmade schedule list`: which Schedules there are, and when they tick next.

use server::app::schedules::ScheduleLine;

use super::in_zone;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{BAD, DIM, NAME};
use crate::terminal::table::{Cell, Table};

/// List schedules by name
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade schedule list\n  selfmade schedule list --json")]
pub(crate) struct Arguments {
    /// How many to show
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// Only names after this one
    #[arg(long, value_name = "NAME")]
    after: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let page = brain.schedules(arguments.after.as_deref(), arguments.limit).await?;
    session.output.answer(&page, |screen| table(&page.schedules, screen))?;
    match &page.next {
        Some(last) => session.output.note(format!("there are more; `--after {last}` shows them")),
        None if page.schedules.is_empty() => session.output.note("there are none"),
        None => {}
    }
    Ok(Exit::Done)
}

fn table(lines: &[ScheduleLine], screen: &Screen) -> String {
    let mut table = Table::new(&["name", "times", "zone", "runs", "next", "started", "skipped", "last"], 1);
    for line in lines {
        let next = match (line.paused, line.next) {
            (true, _) => "paused".to_owned(),
            (false, Some(next)) => in_zone(next, &line.content.zone),
            (false, None) => "over".to_owned(),
        };
        let skipped = if line.skipped > 0 { BAD } else { DIM };
        table.row(vec![
            Cell::painted(NAME, line.name.as_str()),
            line.content.times.to_string().into(),
            Cell::painted(DIM, &line.content.zone),
            line.content.target.as_str().into(),
            next.into(),
            line.started.to_string().into(),
            Cell::painted(skipped, line.skipped.to_string()),
            Cell::painted(DIM, line.last_started.map_or("never".to_owned(), |at| screen.time(at))),
        ]);
    }
    table.render(screen)
}
