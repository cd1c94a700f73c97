//! `selfmade runs cancel`: the end of a Run and of all that it started.

use model::run::RunState;
use serde_json::json;

use super::Reference;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::run_lines;

/// Cancel a run and everything it started
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade runs cancel 391ab633")]
pub(crate) struct Arguments {
    /// The id of the run, or the beginning or end of it
    #[arg(value_name = "ID")]
    run: Reference,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let id = arguments.run.id(brain).await?;
    let affected = brain.cancel(id).await?;
    let lines = brain.runs_of(&affected).await?;
    session
        .output
        .answer(&json!({ "runs": lines }), |_| lines.iter().map(run_lines::cancelled_branch).collect())?;
    if lines.is_empty() {
        session.output.note(format!("run {id} is already cancelled"));
    }
    if lines.iter().any(|line| line.state == RunState::Running) {
        session.output.note("the process that runs it will end it within seconds");
    }
    Ok(Exit::Done)
}
