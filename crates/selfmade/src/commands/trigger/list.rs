//! `selfmade trigger list`: which Triggers there are, and what they did.

use server::app::triggers::TriggerLine;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{BAD, DIM, GOOD, NAME};
use crate::terminal::table::{Cell, Table};

/// List triggers by name
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade trigger list\n  selfmade trigger list --json")]
pub(crate) struct Arguments {
    /// How many to show
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// Only names after this one
    #[arg(long, value_name = "NAME")]
    after: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let page = brain.triggers(arguments.after.as_deref(), arguments.limit).await?;
    session.output.answer(&page, |screen| table(&page.triggers, screen))?;
    match &page.next {
        Some(last) => session.output.note(format!("there are more; `--after {last}` shows them")),
        None if page.triggers.is_empty() => session.output.note("there are none"),
        None => {}
    }
    Ok(Exit::Done)
}

fn table(lines: &[TriggerLine], screen: &Screen) -> String {
    let mut table = Table::new(&["name", "on", "source", "runs", "state", "fired", "stopped", "last"], 2);
    for line in lines {
        let (state, style) = if line.enabled { ("enabled", GOOD) } else { ("disabled", DIM) };
        let stopped = if line.stopped > 0 { BAD } else { DIM };
        table.row(vec![
            Cell::painted(NAME, line.name.as_str()),
            line.content.on.to_string().into(),
            line.content.source.as_deref().unwrap_or("*").into(),
            line.content.target.as_str().into(),
            Cell::painted(style, state),
            line.fired.to_string().into(),
            Cell::painted(stopped, line.stopped.to_string()),
            Cell::painted(DIM, line.last_fired.map_or("never".to_owned(), |at| screen.time(at))),
        ]);
    }
    table.render(screen)
}
