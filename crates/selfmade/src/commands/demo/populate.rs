//! `selfmade demo populate`: a graph, a run of it, and a schedule.

use model::schedule::{Missed, Overlap, ScheduleContent, Times};
use serde_json::{Map, json};
use server::app::schedules;

use super::{name, start, store_graph, tell_commands, tell_run};
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

const GRAPH: &str = include_str!("../../../demos/greeting.json");
const GRAPH_NAME: &str = "demo_greeting";
const SCHEDULE_NAME: &str = "demo_every_five_minutes";

/// Add a graph, a run of it and a schedule every five minutes
///
/// They need no packages, secrets or network. Doing it again changes nothing but adds a run.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade demo populate
  selfmade demo populate https://brain.example --token-file token")]
pub(crate) struct Arguments {
    /// The server to populate [default: the brain of this folder, or its server]
    #[arg(value_name = "URL")]
    pub(super) url: Option<String>,
}

pub(super) async fn run(session: &Session, brain: &Brain) -> Result<Exit, Error> {
    store_graph(brain, GRAPH_NAME, GRAPH).await?;
    brain.put_schedule(&name(SCHEDULE_NAME)?, &schedule()?).await?;
    let run = start(brain, GRAPH_NAME, json!({ "name": "World" })).await?;
    let run_id = run.as_ref().map(|run| run.run_id);
    session
        .output
        .answer(&json!({ "graph": GRAPH_NAME, "schedule": SCHEDULE_NAME, "run_id": run_id }), |_| {
            String::new()
        })?;
    session.output.note(format!("added the graph `{GRAPH_NAME}` and the schedule `{SCHEDULE_NAME}`"));
    if let Some(run) = &run {
        tell_run(session, run);
    }
    if brain.local().is_some() {
        session.output.hint(format!("schedules tick while `{} serve` runs", session.settings.program));
    }
    session.output.note("Look at:");
    let shown = run.map(|run| format!("runs show {}", run.run_id)).unwrap_or_default();
    tell_commands(
        session,
        &[
            (&format!("graph show {GRAPH_NAME}"), "its nodes and links"),
            (&shown, "what each node did"),
            (&format!("run {GRAPH_NAME} --arg name=Ada"), "run it again"),
            (&format!("schedule show {SCHEDULE_NAME}"), "when it runs next"),
            (&format!("schedule rm {SCHEDULE_NAME}"), "end the demo"),
        ],
    );
    Ok(Exit::Done)
}

fn schedule() -> Result<ScheduleContent, Error> {
    let zone = "UTC".to_owned();
    Ok(ScheduleContent {
        description: "Greets every five minutes".to_owned(),
        times: Times::parse("*/5 * * * *", &zone).map_err(|error| schedules::unreadable(&error))?,
        zone,
        target: name(GRAPH_NAME)?,
        input: Map::new(),
        missed: Missed::Skip,
        overlap: Overlap::Skip,
        paused: false,
    })
}
