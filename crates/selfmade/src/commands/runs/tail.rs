//! `selfmade runs tail`: Runs as they end, or one Run until it ends.

use model::run::output::OutputChunk;
use model::run::step::Step;
use model::run::{Run, RunState, Waiting};
use serde_json::json;
use server::app::runs::lists::RunLine;
use server::app::runs::nodes::NodeProgress;

use super::Reference;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::node_executions;
use crate::views::run;
use crate::views::run_lines;
use crate::views::trace;

/// Follow runs as they end, or one run until it ends
///
/// Without an id: a line for each run that ends from now on, until Ctrl-C; with --json, each line is a JSON document.
/// With one: its steps as they happen, what it prints, and at the end its result and exit code, as with `run`. The
/// run continues if you leave with Ctrl-C.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade runs tail
  selfmade runs tail --json | jq -r 'select(.state == \"failed\") | .run_id'
  selfmade runs tail 391ab633")]
pub(crate) struct Arguments {
    /// The id of the run, or the beginning or end of it
    #[arg(value_name = "ID")]
    run: Option<Reference>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    match arguments.run {
        Some(run) => follow(session, brain, &run).await,
        None => endings(session, brain).await,
    }
}

async fn endings(session: &Session, brain: &Brain) -> Result<Exit, Error> {
    let mut endings = brain.endings().await?;
    session.output.note("showing runs as they end; Ctrl-C stops");
    while let Some(event) = endings.next().await? {
        let run: RunLine = brain.data(&event)?;
        let text = if session.output.json { format!("{}\n", json!(run)) } else { run_lines::line(&run) };
        if !session.output.stream(&text)? {
            return Ok(Exit::Done);
        }
    }
    session.output.warning("the server ended the stream");
    Ok(Exit::InPart)
}

async fn follow(session: &Session, brain: &Brain, run: &Reference) -> Result<Exit, Error> {
    let id = run.id(brain).await?;
    let mut events = brain.follow(id).await?;
    let mut last: Option<Run> = None;
    while let Some(event) = events.next().await? {
        match event.event.as_str() {
            "step" => session.output.note(trace::step(&brain.data::<Step>(&event)?, None)),
            "node" => session.output.note(node_executions::line(&brain.data::<NodeProgress>(&event)?)),
            "printed" => run::print(&brain.data::<OutputChunk>(&event)?.text),
            "state" => {
                let run = brain.data(&event)?;
                tell(session, &run);
                last = Some(run);
            }
            // Newer servers may tell more.
            _ => {}
        }
    }
    match last {
        Some(run) if run.state.is_final() => run::ended(&session.output, &run),
        _ => {
            session.output.warning("the server ended the stream before the run ended");
            Ok(Exit::InPart)
        }
    }
}

fn tell(session: &Session, run: &Run) {
    let output = &session.output;
    let attempt = if run.attempt > 1 { format!(", try {}", run.attempt) } else { String::new() };
    match (run.state, &run.waiting) {
        (RunState::Waiting, Some(Waiting::Person { question, .. })) => {
            let asked = question["question"].as_str().unwrap_or_default();
            output.note(format!("the run is waiting for a person: {asked}"));
            let short = server::app::runs::ids::short(run.run_id);
            output.hint(format!("`{} runs answer {short} ANSWER`", session.settings.program));
        }
        (RunState::Waiting, Some(Waiting::Time { until, .. })) => {
            output.note(format!("the run is waiting until {}", crate::terminal::time::exact(*until)));
        }
        (RunState::Waiting, Some(Waiting::Decision { changeset })) => {
            output.note(format!("the run is waiting for a decision about changeset {changeset}"));
            output.hint(format!("`{} changes show {changeset}`", session.settings.program));
        }
        (RunState::Waiting, Some(Waiting::Breakpoints { .. })) => {
            output.note("the run stands at a breakpoint");
            let short = server::app::runs::ids::short(run.run_id);
            output.hint(format!("`{} runs release {short}`", session.settings.program));
        }
        (state, _) if !state.is_final() => output.note(format!("the run is {}{attempt}", state.as_str())),
        _ => {}
    }
}
