//! `selfmade agent show`: what a run of the agent did, from its record.

use model::run::host_verb::HostVerb;
use serde_json::{Value, json};
use server::app::runs::records::RunRecord;

use crate::client::Brain;
use crate::commands::runs::Reference;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::style::{DIM, NAME, paint, printable};
use crate::views::agent;

/// Show what a run of the agent did: its plan, searches, code, tests, cost and outcome
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade agent show last:build
  selfmade agent show 391ab633 --json | jq -r 'select(.agent == \"code\") | .code'")]
pub(crate) struct Arguments {
    /// The id of the run, the beginning or end of it, or last:NAME
    #[arg(value_name = "RUN")]
    run: Reference,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let id = arguments.run.id(brain).await?;
    let record = brain.run(id).await?;
    let logged = record.steps.iter().filter(|step| step.verb == HostVerb::Log.name());
    // A message that is an object is journaled as it is.
    let reports: Vec<Value> =
        logged.filter_map(|step| agent::report(&step.request["args"][0].to_string())).collect();
    if reports.is_empty() {
        session.output.warning(format!("run {id} of `{}` has no reports of an agent", record.run.key.name));
        session.output.hint(format!("`{} runs show {id}` shows what it did", session.settings.program));
    }
    if session.output.json {
        for line in reports.iter().chain([&json!(record.run)]) {
            session.output.stream(&format!("{line}\n"))?;
        }
        return Ok(Exit::Done);
    }
    session.output.data(&text(&record, &reports))?;
    Ok(Exit::Done)
}

fn text(record: &RunRecord, reports: &[Value]) -> String {
    let run = &record.run;
    let mut out = format!(
        "{} {}  {}\n",
        paint(NAME, run.key.name.as_str()),
        run.run_id,
        paint(DIM, run.state.as_str())
    );
    for report in reports {
        out.extend(agent::text(report).map(|line| format!("{line}\n")));
    }
    let cost = reports.iter().rfind(|report| report["agent"] == "cost");
    out.extend(cost.map(|report| format!("{}\n", paint(DIM, agent::cost(report)))));
    let end = reports.iter().rfind(|report| report["agent"] == "end");
    match (end.and_then(|end| end["says"].as_str()), &run.error) {
        (_, Some(error)) => out.push_str(&format!("{}: {}\n", error.type_name, printable(&error.message))),
        (Some(says), None) => out.push_str(&format!("{}\n", printable(says))),
        (None, None) => {}
    }
    out
}
