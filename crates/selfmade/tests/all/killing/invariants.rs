//! What must hold of all runs when everything has ended, however often servers were killed.

use std::collections::{HashMap, HashSet};

use model::access::actor::Actor;
use model::event::Event;
use model::ids::RunId;
use model::run::step::Step;
use model::run::{Ending, Run, RunState};
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::world::World;

/// Everything that is recorded.
pub(crate) struct Record {
    pub(crate) runs: HashMap<RunId, Run>,
    steps: HashMap<RunId, Vec<Step>>,
    events: Vec<Event>,
}

impl Record {
    pub(crate) async fn read(world: &World) -> Record {
        let runs: HashMap<RunId, Run> = world.runs().await.into_iter().map(|run| (run.run_id, run)).collect();
        let mut steps = HashMap::new();
        for id in runs.keys() {
            steps.insert(*id, world.ctx.store.steps(*id).await.unwrap());
        }
        Record { runs, steps, events: world.events().await }
    }

    pub(crate) fn of<'a>(&'a self, function: &'a str) -> impl Iterator<Item = &'a Run> {
        self.runs.values().filter(move |run| run.key.name.as_str() == function)
    }

    /// What a run told, by the kinds that begin so.
    fn told(&self, run: RunId, kind: &str) -> Vec<&Event> {
        let id = json!(run);
        let about =
            |event: &&Event| event.fact.data["run_id"] == id && event.fact.kind.to_string().starts_with(kind);
        self.events.iter().filter(about).collect()
    }

    fn children(&self, parent: RunId) -> usize {
        self.runs.values().filter(|run| run.parent == Some(parent)).count()
    }
}

/// No acknowledged run is lost, each has one ending, and `Lost` ends only what may not be resumed.
pub(crate) fn one_ending_each(record: &Record, queued: &[RunId]) {
    for id in queued {
        assert!(record.runs.contains_key(id), "run {id} was acknowledged and is lost");
    }
    for (id, run) in &record.runs {
        assert!(run.state.is_final(), "run {id} of `{}` is {:?}", run.key.name, run.state);
        assert_eq!(record.told(*id, "run.").len(), 1, "run {id} of `{}` has not one ending", run.key.name);
        if run.key.name.as_str() == "risky" && run.state == RunState::Failed {
            assert_eq!(run.ending, Some(Ending::Lost), "{:?}", run.error);
            let why = &run.error.as_ref().unwrap().message;
            assert!(why.contains("it is not rerun automatically"), "{why}");
        } else {
            assert_eq!(run.state, RunState::Succeeded, "run {id} of `{}`: {:?}", run.key.name, run.error);
        }
    }
}

/// Each step has an effect outside of its run, and there is one of each.
pub(crate) fn no_step_twice(record: &Record) {
    for (id, run) in &record.runs {
        let told = record.told(*id, "custom.");
        let kinds: HashSet<String> = told.iter().map(|event| event.fact.kind.to_string()).collect();
        assert_eq!(told.len(), kinds.len(), "a step of run {id} of `{}` was repeated", run.key.name);
        let steps = &record.steps[id];
        let emitted = steps.iter().filter(|step| step.verb == "emit").count();
        let called = steps.iter().filter(|step| step.verb == "run").count();
        assert_eq!((told.len(), record.children(*id)), (emitted, called), "run {id} of `{}`", run.key.name);
        let (events, children) = match run.key.name.as_str() {
            _ if run.state == RunState::Failed => continue,
            "chain" => (3, 2),
            "waiter" => (2, 1),
            "risky" | "safe" | "asker" => (2, 0),
            "second" | "tick" => (1, 0),
            _ => (0, 0),
        };
        assert_eq!((emitted, called), (events, children), "run {id} of `{}`", run.key.name);
    }
}

/// What was drawn once is what every later part of the run saw, whoever executed it.
pub(crate) fn answers_stay(record: &Record) {
    for run in record.of("chain") {
        let output = run.output.as_ref().unwrap();
        for event in record.told(run.run_id, "custom.") {
            assert_eq!(event.fact.data["output"]["drawn"], output["drawn"]);
        }
        assert_eq!(record.steps[&run.run_id][0].result.as_ref(), Some(&output["began"]));
    }
    for run in record.of("asker") {
        assert_eq!(run.output, Some(json!("yes")));
    }
}

/// Runs that were queued before the brain moved on use what was live then.
pub(crate) fn versions_stay(record: &Record, before: &[RunId]) {
    let chains: Vec<&Run> = record.of("chain").filter(|run| before.contains(&run.run_id)).collect();
    let versions: HashSet<_> = chains.iter().map(|run| run.version_id).collect();
    assert_eq!(versions.len(), 1, "runs that were queued together ran different versions");
    for run in chains {
        let n = run.input["n"].as_i64().unwrap();
        assert_eq!(run.output.as_ref().unwrap()["second"], json!(4 * n), "run {}", run.run_id);
    }
}

/// Every end of an upstream run started one run downstream, which got its output.
pub(crate) fn triggered_once(record: &Record, upstream: &str, target: &str) {
    let mut given: Vec<String> = record.of(target).map(|run| run.input["x"]["drawn"].to_string()).collect();
    let mut gave: Vec<String> = record
        .of(upstream)
        .map(|run| run.output.as_ref().unwrap_or(&Value::Null)["drawn"].to_string())
        .collect();
    given.sort();
    gave.sort();
    assert_eq!(given, gave, "`{target}` did not run once after each `{upstream}`");
}

/// Every tick has one run.
pub(crate) async fn ticked_once(record: &Record, database: &TestDatabase) {
    let ticked = record.of("tick").filter(|run| matches!(run.actor, Actor::Schedule(_))).count();
    assert!(ticked > 0, "the schedule never ticked");
    assert_eq!(ticked, database.count("ticks").await);
}
