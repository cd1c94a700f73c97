//! Steps: recorded effects of a Run through host verbs; the grain of resume and replay.

use std::collections::HashMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::access::actor::Actor;
use crate::ids::RunId;
use crate::run::RunError;
use crate::run::host_verb::HostVerb;
use crate::run::lane::Lane;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Step {
    pub run_id: RunId,
    /// Which thread, task or node of the Run asked for it.
    pub lane: Lane,
    /// Its place among the Steps of its lane, from 1. Lane and number are the same when the Run is executed again.
    pub number: u32,
    /// Its place in the Run's journal as it is shown, from 1, and what others point to it by.
    pub position: u32,
    /// The host verb: `model.chat`, `run`, `brain.propose` …
    pub verb: String,
    pub request: Value,
    pub result: Option<Value>,
    pub error: Option<RunError>,
    /// The Run it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child: Option<RunId>,
    /// Who answered, if it is a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<Actor>,
    pub started_at: Timestamp,
    /// Absent while it goes on.
    pub finished_at: Option<Timestamp>,
}

/// A Run that was executed again asked for something else than it had asked for the first time.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    pub lane: Lane,
    pub number: u32,
    /// What is recorded: verb and request.
    pub recorded: (String, Value),
    /// What was asked now.
    pub asked: (String, Value),
}

impl Step {
    /// Whether what it was asked and answered is gone, because the Run it started is not kept.
    pub fn is_forgotten(&self) -> bool {
        self.child.is_some() && self.request.is_null()
    }

    /// What is made by this Step is named by this, so that executing it again finds it.
    pub fn once(&self) -> String {
        let Step { run_id, lane, number, .. } = self;
        // As it was before there were lanes.
        if lane.is_main() {
            format!("step:{run_id}:{number}")
        } else {
            format!("step:{run_id}:{lane}:{number}")
        }
    }

    /// Whether asking this now is what was asked then.
    pub fn answers(&self, verb: &str, request: &Value) -> Result<(), Box<Divergence>> {
        if self.verb == verb && self.request == *request {
            return Ok(());
        }
        Err(Box::new(Divergence {
            lane: self.lane.clone(),
            number: self.number,
            recorded: (self.verb.clone(), self.request.clone()),
            asked: (verb.to_owned(), request.clone()),
        }))
    }
}

/// The positions of Steps that a new try asks for again: those that failed, if nothing was done after them, neither in
/// their lane nor with knowledge of the failure in one that started it or was started by it. To log a failure is to do
/// nothing.
pub fn failed_last(steps: &[Step]) -> Vec<u32> {
    let is_done = |step: &&Step| step.error.is_none() && step.verb != HostVerb::Log.name();
    // Of each lane the last that was done: its number, and when it was asked for.
    let mut done: HashMap<&Lane, (u32, Timestamp)> = HashMap::new();
    for step in steps.iter().filter(is_done) {
        let last = done.entry(&step.lane).or_insert((0, Timestamp::MIN));
        *last = (last.0.max(step.number), last.1.max(step.started_at));
    }
    let is_last = |failed: &&Step| {
        let at = failed.finished_at.unwrap_or(failed.started_at);
        failed.error.is_some()
            && done.iter().all(|(lane, (number, asked_at))| {
                if **lane == failed.lane {
                    *number < failed.number
                } else {
                    *asked_at < at || !lane.is_kin(&failed.lane)
                }
            })
    };
    let mut from: HashMap<&Lane, u32> = HashMap::new();
    for step in steps.iter().filter(is_last) {
        let first = from.entry(&step.lane).or_insert(step.number);
        *first = step.number.min(*first);
    }
    let is_anew = |step: &&Step| from.get(&step.lane).is_some_and(|first| step.number >= *first);
    steps.iter().filter(is_anew).map(|step| step.position).collect()
}

impl std::fmt::Display for Divergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (recorded, asked) = (&self.recorded, &self.asked);
        write!(
            f,
            "step {} of lane `{}` was `{}` with {}, and is now `{}` with {}",
            self.number, self.lane, recorded.0, recorded.1, asked.0, asked.1
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    /// A Step that was asked for in one second and answered in the next.
    fn step(position: u32, lane: &str, number: u32, how: &str) -> Step {
        let at = |second: u32| Timestamp::new(i64::from(second), 0).unwrap();
        let error = RunError::of("E", "m");
        Step {
            run_id: RunId(Uuid::nil()),
            lane: lane.parse().unwrap(),
            number,
            position,
            verb: if how == "log" { "log" } else { "run" }.to_owned(),
            request: json!(position),
            result: None,
            error: (how == "failed").then_some(error),
            child: None,
            answered_by: None,
            started_at: at(position),
            finished_at: Some(at(position + 1)),
        }
    }

    fn anew(steps: &[(&str, u32, &str)]) -> Vec<u32> {
        let steps: Vec<Step> = steps
            .iter()
            .zip(1..)
            .map(|((lane, number, how), position)| step(position, lane, *number, how))
            .collect();
        failed_last(&steps)
    }

    #[test]
    fn what_failed_last_is_asked_for_again_with_what_was_logged_of_it() {
        let steps = [
            ("main", 1, "failed"),
            ("main", 2, "done"),
            ("main", 3, "log"),
            ("main", 4, "failed"),
            ("main", 5, "failed"),
            ("main", 6, "log"),
        ];
        assert_eq!(anew(&steps), [4, 5, 6]);
        assert!(anew(&steps[..3]).is_empty());
    }

    #[test]
    fn what_others_did_who_cannot_know_of_a_failure_does_not_keep_it() {
        let failed = ("main/1", 1, "failed");
        assert_eq!(anew(&[failed, ("main/2", 1, "done"), ("main/2", 2, "done")]), [1]);
        assert!(
            anew(&[failed, ("main", 1, "done")]).is_empty(),
            "it was asked for when the failure was known"
        );
        assert!(anew(&[failed, ("main/1/1", 1, "done")]).is_empty());
        assert_eq!(
            anew(&[("main", 1, "done"), failed]),
            [2],
            "it was asked for before the failure was known"
        );
    }
}
