//! `selfmade schedule show`: one Schedule, its next times, and what happened to the last.

use server::app::runs::ids::short;
use server::app::schedules::{ScheduleView, TickLine};

use super::{in_zone, name};
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{BAD, DIM, GOOD, NAME, counted, paint};
use crate::terminal::table::{Cell, Table};
use crate::views::fields::Fields;

/// Show a schedule, its next times, and its last ticks
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  selfmade schedule show nightly\n  selfmade schedule show nightly --next 20"
)]
pub(crate) struct Arguments {
    name: String,
    /// How many of the next times to show
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(0..=1000))]
    next: u16,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let view = brain.schedule(&name(&arguments.name)?, arguments.next.into()).await?;
    session.output.answer(&view, |screen| render(&view, screen))?;
    Ok(Exit::Done)
}

fn render(view: &ScheduleView, screen: &Screen) -> String {
    let line = &view.line;
    let content = &line.content;
    let state = match (line.paused, line.next) {
        (true, _) => paint(DIM, "paused"),
        (false, None) => paint(DIM, "over"),
        (false, Some(_)) => paint(GOOD, "ticks"),
    };
    let mut fields = Fields::of(line.name.as_str(), &line.version.to_string(), &state, &content.description);
    fields.add("times", content.times.to_string());
    fields.add("zone", &content.zone);
    fields.add("runs", content.target.as_str());
    let input = serde_json::Value::Object(content.input.clone()).to_string();
    fields.add("input", if content.input.is_empty() { "" } else { &input });
    fields.add("missed", word(&content.missed));
    fields.add("overlap", word(&content.overlap));
    for at in &view.next_times {
        fields.add("next", in_zone(*at, &content.zone));
    }
    let last = line.last_started.map(|at| format!(", last {}", screen.time(at))).unwrap_or_default();
    fields.add("started", format!("{}{last}", counted(line.started as usize, "run")));
    fields.add("skipped", counted(line.skipped as usize, "tick"));
    fields.add("under", view.under.as_deref().unwrap_or_default());
    fields.add("written", format!("{} by {}", screen.time(view.written_at), view.who));
    fields.above(&table(&view.ticks, screen))
}

/// As it is spelled everywhere else.
fn word(policy: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(policy).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

fn table(ticks: &[TickLine], screen: &Screen) -> String {
    let mut table = Table::new(&["tick", "run", "skipped"], 2);
    for tick in ticks {
        table.row(vec![
            Cell::painted(DIM, screen.time(tick.at)),
            Cell::painted(NAME, tick.run_id.map(short).unwrap_or_default()),
            Cell::painted(BAD, tick.skipped.as_deref().unwrap_or_default()),
        ]);
    }
    table.render(screen)
}
