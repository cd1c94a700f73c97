//! What must hold when everything has come to its end.

use std::collections::BTreeMap;

use model::entry::{EntryKey, EntryKind};
use model::event::{Event, EventKind};
use model::ids::RunId;
use model::run::step::Step;
use model::run::{Ending, Run, RunState};
use serde_json::{Map, Value};

use super::brain::{ENDLESS, GRAPHS, SCHEDULE};
use super::{Simulation, Violation};
use crate::world::name;

/// All that is recorded.
struct Record {
    runs: BTreeMap<RunId, Run>,
    events: Vec<Event>,
}

impl Record {
    fn about(&self, run: RunId, is_meant: impl Fn(&EventKind) -> bool) -> Vec<&Event> {
        let id = run.to_string();
        let about = |event: &&Event| event.fact.data["run_id"] == id.as_str() && is_meant(&event.fact.kind);
        self.events.iter().filter(about).collect()
    }

    fn of<'a>(&'a self, function: &'a str) -> impl Iterator<Item = &'a Run> {
        self.runs.values().filter(move |run| run.key.name.as_str() == function)
    }
}

impl Simulation<'_> {
    pub(super) async fn violations(&mut self) -> Vec<Violation> {
        let all = self.runs_in(&[]).await;
        let mut events = Vec::new();
        let mut seq = 0;
        loop {
            let next = self.observer.events_after(seq, 1_000).await.unwrap();
            let Some(last) = next.last() else { break };
            seq = last.seq;
            events.extend(next);
        }
        let record = Record { runs: all.into_iter().map(|run| (run.run_id, run)).collect(), events };
        let mut found = Vec::new();
        for run in record.runs.values() {
            found.extend(
                self.of_run(run, &record).await.into_iter().map(|wrong| {
                    format!("run {} of `{}` ({:?}): {wrong}", run.run_id, run.key.name, run.state)
                }),
            );
        }
        found.extend(self.executions());
        found.extend(of_triggers(&record));
        found.extend(self.of_schedule(&record).await);
        found.extend(self.of_requests(&record).await);
        found
    }

    async fn of_run(&self, run: &Run, record: &Record) -> Vec<Violation> {
        let mut found = Vec::new();
        let ends = record.about(run.run_id, |kind| {
            matches!(kind, EventKind::RunFinished | EventKind::RunFailed | EventKind::RunCancelled)
        });
        if ends.len() != 1 {
            found.push(format!("it has {} endings", ends.len()));
        }
        if !run.state.is_final() || run.finished_at.is_none() {
            found.push("it has not ended".to_owned());
        }
        found.extend(self.wrong_state(run, record));
        let steps = self.observer.steps(run.run_id).await.unwrap();
        let children = record.runs.values().filter(|child| child.parent == Some(run.run_id)).count();
        let called = steps.iter().filter(|step| step.child.is_some()).count();
        if children > called || (run.state == RunState::Succeeded && children != called) {
            found.push(format!("it started {children} runs in {called} steps"));
        }
        if run.state == RunState::Succeeded && steps.iter().any(|step| step.finished_at.is_none()) {
            found.push("a step was not finished".to_owned());
        }
        if is_graph(run) {
            found.extend(of_nodes(run, &steps, record));
        } else {
            found.extend(of_code(run, &steps, record));
        }
        found
    }

    /// A database that fails and a server that dies fail no Run that can be executed again.
    fn wrong_state(&self, run: &Run, record: &Record) -> Option<Violation> {
        let error = run.error.as_ref().map(|error| format!("{}: {}", error.type_name, error.message));
        let is_lost = run.ending == Some(Ending::Lost)
            || run.error.as_ref().is_some_and(|error| error.type_name == "NotJournaled");
        let is_right = match (run.state, run.key.name.as_str()) {
            (RunState::Cancelled, _) => run.cancelled.is_some(),
            (RunState::Succeeded, function) => function != "fails" && function != ENDLESS,
            // A Run of a node may be cancelled by itself, in a Graph of this one, too.
            (RunState::Failed, _) if is_graph(run) => {
                let mut children = record.runs.values().filter(|child| child.parent == Some(run.run_id));
                run.ending == Some(Ending::Raised)
                    && children.any(|child| {
                        child.cancelled.is_some() || (child.state == RunState::Failed && is_graph(child))
                    })
            }
            (RunState::Failed, "fails") => run.ending == Some(Ending::Raised),
            (RunState::Failed, "once") => is_lost && !self.is_gentle && run.cancelled.is_none(),
            _ => false,
        };
        (!is_right).then(|| format!("it should not have ended so ({error:?}, cancelled {:?})", run.cancelled))
    }

    fn executions(&self) -> Vec<Violation> {
        let once = self.played.once.lock().unwrap();
        let twice = once.iter().filter(|(_, executions)| **executions > 1);
        twice
            .map(|(run, executions)| format!("run {run} of `once` was executed {executions} times"))
            .collect()
    }

    /// Every minute since the first has ticked, once, and started one Run.
    async fn of_schedule(&self, record: &Record) -> Vec<Violation> {
        let key = EntryKey::new(EntryKind::Schedule, name(SCHEDULE));
        let entry =
            self.observer.live_version(&key).await.unwrap().expect("the schedule is there").head.entry_id;
        let mut ticks = self.observer.ticks(entry, None, 10_000).await.unwrap();
        ticks.reverse();
        let mut found = Vec::new();
        for pair in ticks.windows(2) {
            if pair[1].at.duration_since(pair[0].at).as_secs() != 60 {
                found.push(format!("a tick is missing between {} and {}", pair[0].at, pair[1].at));
            }
        }
        let started: Vec<_> = ticks.iter().filter_map(|tick| tick.run_id).collect();
        let runs: Vec<_> = record.of("ticked").filter(|run| run.event_seq.is_none()).collect();
        let by_ticks = runs.iter().filter(|run| run.actor.to_string().starts_with("schedule:")).count();
        if started.len() != ticks.len() || by_ticks != ticks.len() {
            found.push(format!("{} ticks started {by_ticks} runs", ticks.len()));
        }
        found.extend(
            started
                .iter()
                .filter(|run| !record.runs.contains_key(run))
                .map(|run| format!("run {run} of a tick is lost")),
        );
        let told = record.events.iter().filter(|event| event.fact.kind == EventKind::ScheduleTicked).count();
        if told != ticks.len() {
            found.push(format!("{} ticks were told of {told} times", ticks.len()));
        }
        found
    }

    /// What was acknowledged is recorded, and what was heard of its end is what is recorded.
    async fn of_requests(&mut self, record: &Record) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut by_key: BTreeMap<String, RunId> = BTreeMap::new();
        for request in std::mem::take(&mut self.requests) {
            if !request.answer.is_finished() {
                continue;
            }
            let what = request.what;
            let heard = match request.answer.await {
                Ok(Ok(run)) => run,
                Ok(Err(_)) => continue,
                Err(gone) if gone.is_cancelled() => continue,
                Err(panic) => {
                    found.push(format!("who asked to {what} met a panic: {panic}"));
                    continue;
                }
            };
            let Some(recorded) = record.runs.get(&heard.run_id) else {
                found.push(format!(
                    "run {} is lost; it was acknowledged to who asked to {what}",
                    heard.run_id
                ));
                continue;
            };
            if heard.state.is_final() && (heard.state, &heard.output) != (recorded.state, &recorded.output) {
                let (told, is) = (heard.state, recorded.state);
                found.push(format!("run {} is {is:?}, and who asked to {what} heard {told:?}", heard.run_id));
            }
            if let Some(key) = request.idempotency_key
                && *by_key.entry(key.clone()).or_insert(heard.run_id) != heard.run_id
            {
                found.push(format!("`{key}` stands for two runs"));
            }
        }
        for cancel in std::mem::take(&mut self.cancels) {
            if !cancel.answer.is_finished() {
                continue;
            }
            let Ok(Ok(affected)) = cancel.answer.await else { continue };
            for run in affected.iter().filter_map(|run| record.runs.get(run)) {
                let had_returned = matches!(run.ending, Some(Ending::Returned | Ending::Raised));
                if run.state != RunState::Cancelled && !had_returned {
                    found.push(format!(
                        "the cancel of run {} was acknowledged, and it is {:?}",
                        run.run_id, run.state
                    ));
                }
            }
        }
        found
    }
}

fn is_graph(run: &Run) -> bool {
    GRAPHS.contains(&run.key.name.as_str())
}

/// Of a Run of a function: it drew, told what it drew once, and returned it.
fn of_code(run: &Run, steps: &[Step], record: &Record) -> Vec<Violation> {
    let mut found = Vec::new();
    let told = record.about(run.run_id, |kind| matches!(kind, EventKind::Custom(name) if name == "told"));
    let was_told = steps.iter().filter(|step| step.verb == "emit" && step.finished_at.is_some()).count();
    if told.len() != was_told || told.len() > 1 {
        found.push(format!("it told {} times, and its journal says {was_told}", told.len()));
    }
    let went_through = run.state == RunState::Succeeded || run.ending == Some(Ending::Raised);
    if went_through && told.len() != 1 {
        found.push(format!("its code went through, and it told {} times", told.len()));
    }
    let drawn = steps.first().and_then(|step| step.result.clone());
    let is_other = |event: &&Event| Some(&event.fact.data["output"]) != drawn.as_ref();
    if run.state == RunState::Succeeded && (drawn != run.output || told.iter().any(is_other)) {
        found.push(format!("it drew {drawn:?}, told {told:?} and returned {:?}", run.output));
    }
    found
}

/// Of a Run of a Graph, in which nothing is in a circle: each node was executed once, and what the Run of a node returned is what left
/// the node.
fn of_nodes(run: &Run, steps: &[Step], record: &Record) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut nodes: Vec<&str> = steps.iter().filter_map(|step| step.request["node"].as_str()).collect();
    nodes.sort_unstable();
    if nodes.windows(2).any(|pair| pair[0] == pair[1]) {
        found.push(format!("a node was executed twice: {nodes:?}"));
    }
    if run.state != RunState::Succeeded {
        return found;
    }
    for step in steps {
        let node = step.request["node"].as_str().unwrap_or_default();
        let given = run.output.as_ref().and_then(|output| output.get(node));
        let child = step.child.and_then(|child| record.runs.get(&child));
        let Some(child) = child else { continue };
        if given.is_some_and(|given| Some(given) != child.output.as_ref()) {
            found.push(format!("node `{node}` gave {given:?}, and its run returned {:?}", child.output));
        }
        if child.state != RunState::Succeeded && child.key.name.as_str() != "fails" {
            found.push(format!("node `{node}` was {:?}", child.state));
        }
    }
    let outputs = run.output.as_ref().and_then(Value::as_object).map_or(0, Map::len);
    if outputs != steps.iter().filter(|step| is_output(step)).count() {
        found.push(format!("it gave {:?} in {nodes:?}", run.output));
    }
    found
}

fn is_output(step: &Step) -> bool {
    step.request["node"].as_str().is_some_and(|node| node.starts_with("out_"))
}

/// Every end of `plain` was heard, once.
fn of_triggers(record: &Record) -> Vec<Violation> {
    let ends = record
        .events
        .iter()
        .filter(|event| event.fact.kind == EventKind::RunFinished && event.fact.source == "plain");
    let heard = |seq: u64| record.of("heard").filter(|run| run.event_seq == Some(seq)).count();
    let wrong = ends.map(|event| (event.seq, heard(event.seq))).filter(|(_, heard)| *heard != 1);
    wrong.map(|(seq, heard)| format!("the trigger fired {heard} times on event {seq}")).collect()
}
