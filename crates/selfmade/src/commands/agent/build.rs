//! `selfmade build`: a function for a goal, found, composed or written.

use std::io::IsTerminal;

use model::budget;
use model::changeset::check::{Gate, Verdict};
use model::run::{Run, RunState};
use serde_json::{Map, Value};

use super::{Limits, running};
use crate::client::Brain;
use crate::commands::changes;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::prompt;
use crate::terminal::style::printable;
use crate::views::{agent, applied, run as run_view};

/// Build a function for a goal: find it, compose it, or write, test and propose it
///
/// Examples are exact: what does not reproduce all of them is not proposed. The name of the function goes to standard
/// output, what happens to standard error; with --json, each step is a line of JSON and the run is the last. Exit
/// code 8 means that the proposal waits for a decision, 7 that nothing was built. docs/agent.md explains the loop.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade build 'count the vowels of a text' --example 'f(\"banana\") => 3' --example 'f(\"\") => 0'
  selfmade build 'the temperature in a city' --allow-host api.open-meteo.com
  selfmade build 'parse ISO week dates' --name parse_week --most-calls 15 --yes
  selfmade agent show last:build             what happened, later")]
pub(crate) struct Arguments {
    /// What is wanted, in plain words
    goal: String,
    /// A call with its result, such as 'f(2) => 4'; may be repeated
    #[arg(long = "example", short, value_name = "CALL => RESULT")]
    examples: Vec<String>,
    /// What the function shall be called
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    limits: Limits,
    /// Apply the proposal without asking, unless it needs approval because of what it may reach or replaces
    #[arg(long, short)]
    yes: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let mut input = arguments.limits.arguments(session);
    input.insert("goal".to_owned(), arguments.goal.into());
    input.insert("examples".to_owned(), arguments.examples.into());
    input.extend(arguments.name.map(|name| ("name".to_owned(), name.into())));
    let budget = arguments.limits.budget.limits();
    build(session, brain, input, budget, arguments.yes).await
}

/// Runs it, and decides with whoever is there what becomes of a proposal.
pub(crate) async fn build(
    session: &Session,
    brain: &Brain,
    input: Map<String, Value>,
    budget: budget::Limits,
    yes: bool,
) -> Result<Exit, Error> {
    let run = running::run(session, brain, "build", input, budget).await?;
    let Some(account) = account(session, &run)? else { return run_view::ended(&session.output, &run) };
    let exit = conclude(session, brain, account, yes).await?;
    if matches!(exit, Exit::Done | Exit::Waiting) && !session.output.json {
        session.output.data(&format!("{}\n", printable(account["function"].as_str().unwrap_or_default())))?;
    }
    Ok(exit)
}

/// What the agent returned, if it returned: its run is the last line of JSON.
pub(super) fn account<'a>(session: &Session, run: &'a Run) -> Result<Option<&'a Value>, Error> {
    let account = run.output.as_ref().filter(|_| run.state == RunState::Succeeded);
    if session.output.json {
        let line = serde_json::to_string(run).map_err(|source| Error::Json { source })?;
        session.output.stream(&format!("{line}\n"))?;
    }
    Ok(account)
}

async fn conclude(session: &Session, brain: &Brain, account: &Value, yes: bool) -> Result<Exit, Error> {
    let output = &session.output;
    let says = account["says"].as_str().unwrap_or_default();
    match account["outcome"].as_str() {
        Some("reused" | "applied") => {
            output.note(printable(says));
            let function = account["function"].as_str().unwrap_or_default();
            output.hint(format!("`{} run {function}` runs it", session.settings.program));
            Ok(Exit::Done)
        }
        Some("proposed") => match account["changeset"].as_u64() {
            Some(number) => decide(session, brain, number, yes).await,
            None => Ok(Exit::Waiting),
        },
        _ => {
            output.report(&format!("{}\n", printable(says)));
            output.aside(agent::cost(&account["spent"]));
            Ok(Exit::RunFailed)
        }
    }
}

/// Shows a proposal and asks what becomes of it, if somebody is there.
async fn decide(session: &Session, brain: &Brain, number: u64, yes: bool) -> Result<Exit, Error> {
    let view = brain.changeset(number).await?;
    let asks = view.checks.iter().any(|check| check.gate == Gate::Policy && check.verdict == Verdict::Asks);
    let output = &session.output;
    if !yes || asks {
        output.report(&changes::show::render(&view, &output.screen));
        let is_here = !output.json && std::io::stdin().is_terminal();
        if !is_here || !prompt::confirmed(&format!("apply changeset {number}? [y/N] "))? {
            output.note(format!("changeset {number} waits for a decision; nothing has changed yet"));
            let program = &session.settings.program;
            output.hint(format!("`{program} changes apply {number}` or `{program} changes reject {number}`"));
            return Ok(Exit::Waiting);
        }
    }
    let done = applied::checked(output, brain.apply(number, false)).await?;
    applied::tell(output, &done);
    Ok(Exit::Done)
}
