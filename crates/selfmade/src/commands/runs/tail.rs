//! `selfmade runs tail`: Runs as they end, or one Run until it ends.

use model::run::{Run, RunState, Waiting};
use serde_json::json;
use server::app::run_news::{Endings, Follower, News};

use super::Reference;
use crate::error::{Error, Exit};
use crate::run_lines;
use crate::run_view;
use crate::session::{Brain, Session};
use crate::trace_view;

/// Follow runs as they end, or one run until it ends
///
/// Without an id: a line for each run that ends from now on, until Ctrl-C; with --json, each line is a JSON document.
/// With one: its steps as they are done, what it printed, and in the end its result and its exit code, as of `run`. The
/// run goes on if you leave with Ctrl-C.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade runs tail
  selfmade runs tail --json | jq -r 'select(.state == \"failed\") | .run_id'
  selfmade runs tail 391ab633")]
pub(crate) struct Arguments {
    /// Its id, or the beginning or end of it
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
    let mut endings = Endings::from_now(&brain.ctx).await?;
    session.output.note("runs are told as they end; Ctrl-C leaves");
    loop {
        for run in endings.next().await? {
            let text = if session.output.json { format!("{}\n", json!(run)) } else { run_lines::line(&run) };
            if !session.output.stream(&text)? {
                return Ok(Exit::Done);
            }
        }
    }
}

async fn follow(session: &Session, brain: &Brain, run: &Reference) -> Result<Exit, Error> {
    let id = run.id(brain).await?;
    let mut follower = Follower::new(&brain.ctx, id);
    let mut last = None;
    loop {
        let news = follower.next().await?;
        if news.is_empty() {
            break;
        }
        for one in news {
            match one {
                News::Step(step) => session.output.note(trace_view::step(&step, None)),
                News::Printed(chunk) => run_view::print(&chunk.text),
                News::State(run) => {
                    tell(session, &run);
                    last = Some(run);
                }
            }
        }
    }
    match last {
        Some(run) => run_view::ended(&session.output, &run),
        None => Ok(Exit::Done),
    }
}

fn tell(session: &Session, run: &Run) {
    let output = &session.output;
    let attempt = if run.attempt > 1 { format!(", try {}", run.attempt) } else { String::new() };
    match (run.state, &run.waiting) {
        (RunState::Waiting, Some(Waiting::Person { question, .. })) => {
            let asked = question["question"].as_str().unwrap_or_default();
            output.note(format!("the run waits for a person: {asked}"));
            let short = server::app::run_ids::short(run.run_id);
            output.hint(format!("`{} runs answer {short} ANSWER`", session.settings.program));
        }
        (RunState::Waiting, Some(Waiting::Time { until, .. })) => {
            output.note(format!("the run waits until {}", crate::time::exact(*until)));
        }
        (state, _) if !state.is_final() => output.note(format!("the run is {}{attempt}", state.as_str())),
        _ => {}
    }
}
