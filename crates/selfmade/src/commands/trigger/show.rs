//! `selfmade trigger show`: one Trigger, and what it did last.

use server::app::triggers::{self, TriggerView};

use super::{firings, name};
use crate::error::{Error, Exit};
use crate::fields::Fields;
use crate::output::Screen;
use crate::session::{Brain, Session};
use crate::style::{DIM, GOOD, counted, paint};

/// Show a trigger, and what it did last
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade trigger show check_it")]
pub(crate) struct Arguments {
    name: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let view = triggers::show(&brain.ctx, &name(&arguments.name)?).await?;
    session.output.answer(&view, |screen| render(&view, screen))?;
    Ok(Exit::Done)
}

fn render(view: &TriggerView, screen: &Screen) -> String {
    let line = &view.line;
    let content = &line.content;
    let state = if line.enabled { paint(GOOD, "enabled") } else { paint(DIM, "disabled") };
    let mut fields = Fields::of(line.name.as_str(), &line.version.to_string(), &state, &content.description);
    fields.add("on", content.on.to_string());
    fields.add("source", content.source.as_deref().unwrap_or("any"));
    fields.add("if", content.condition.as_deref().unwrap_or_default());
    fields.add("runs", content.target.as_str());
    let input = content.input.as_ref().map(|input| serde_json::Value::Object(input.clone()).to_string());
    fields.add("input", input.as_deref().unwrap_or("what the event carries, as the first parameter"));
    let rate = content.rate_limit.map(|limit| {
        format!("{} in {}", counted(limit.runs as usize, "run"), counted(limit.seconds as usize, "second"))
    });
    fields.add("at most", rate.unwrap_or_default());
    fields.add("debounce", content.debounce_ms.map(|ms| format!("{ms} ms")).unwrap_or_default());
    let last = line.last_fired.map(|at| format!(", last {}", screen.time(at))).unwrap_or_default();
    fields.add("fired", format!("{}{last}", counted(line.fired as usize, "time")));
    fields.add("stopped", counted(line.stopped as usize, "time"));
    fields.add("written", format!("{} by {}", screen.time(view.written_at), view.written_by));
    fields.above(&firings::table(&view.firings, screen))
}
