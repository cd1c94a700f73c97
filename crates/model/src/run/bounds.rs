//! Limits on what one Run may store: the number of Steps, the size of its journal and of its Events.
//!
//! An error names the limit, its setting and what to do instead.

use std::collections::HashSet;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::host_verb::HostVerb;
use super::lane::Lane;
use super::step::Step;
use crate::content::sorted;
use crate::input::json_size::json_size;
use crate::run::RunError;

/// A request of a Step that takes more than this is journaled as its size and its hash: replay only compares it.
const REQUEST_BYTES: u64 = 1 << 20;

/// What a row of the journal of a Graph takes beside its values. That is not counted: the number of rows is bounded by that of
/// node executions.
pub const GRAPH_ROW_BYTES: u64 = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunBounds {
    /// Steps of one Run.
    pub steps: u32,
    /// Threads and tasks of one Run that make Steps.
    pub lanes: u32,
    /// What the requests and answers of its Steps take together; of a Graph, what its node executions get and give.
    pub journal_bytes: u64,
    /// The data of one Event that it emits.
    pub event_bytes: u64,
    /// The data of all Events that it emits.
    pub events_bytes: u64,
    /// Node executions of one Run of a Graph.
    pub nodes: u32,
    /// A value that a link of a Graph carries.
    pub link_bytes: u64,
}

impl Default for RunBounds {
    fn default() -> RunBounds {
        RunBounds {
            steps: 10_000,
            lanes: 10_000,
            journal_bytes: 64 << 20,
            event_bytes: 256 << 10,
            events_bytes: 16 << 20,
            nodes: 1_000_000,
            link_bytes: 8 << 20,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OverBound {
    #[error(
        "this run has made {most} steps, the maximum for one run (setting `run_steps`); do more in each step, \
         or start other runs for the rest"
    )]
    Steps { most: u32 },
    #[error(
        "steps of this run were asked for in {most} threads and tasks, the maximum for one run; ask for more of them in each \
         thread or task, or start other runs for the rest"
    )]
    Lanes { most: u32 },
    #[error(
        "with this {what} of {bytes} bytes the steps of this run would take more than {most} bytes, the maximum that one \
         run may store (setting `run_journal_bytes`); pass large values in files, or start other runs for the rest"
    )]
    Journal { what: &'static str, bytes: u64, most: u64 },
    #[error(
        "the data of this event takes {bytes} bytes; the maximum for one event is {most} (setting `event_bytes`); \
         return the value or write it with `files.write`, and emit a reference to it, such as the id of this run"
    )]
    Event { bytes: u64, most: u64 },
    #[error(
        "with these {bytes} bytes the events of this run would take more than {most} bytes, the maximum that one run may \
         emit (setting `run_event_bytes`); emit references to large values, or fewer events"
    )]
    Events { bytes: u64, most: u64 },
    #[error(
        "with the value of {bytes} bytes on pin `{pin}` of node `{node}` the journal of this run would take more than {most} \
         bytes, the maximum for one run (setting `run_journal_bytes`); pass large values in files or stored values, or call \
         another graph for each part of the work"
    )]
    GraphValue { node: String, pin: String, bytes: u64, most: u64 },
    #[error(
        "the journal of this run takes more than {most} bytes, the maximum for one run (setting `run_journal_bytes`), so node \
         `{node}` was not executed; pass large values in files or stored values, or call another graph for each part of the work"
    )]
    GraphJournal { node: String, most: u64 },
}

/// What a Run has stored so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    steps: u32,
    lanes: u32,
    journal_bytes: u64,
    events_bytes: u64,
    /// A Step was refused. Those after it are, too: the journal has no gaps.
    full: Option<OverBound>,
}

impl Stored {
    /// What a journal that was read back holds.
    pub fn of(steps: &[Step]) -> Stored {
        let lanes: HashSet<&Lane> = steps.iter().map(|step| &step.lane).collect();
        let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let mut stored = Stored { steps: count(steps.len()), lanes: count(lanes.len()), ..Stored::default() };
        for step in steps {
            let answer = step.result.as_ref().map_or(0, json_size) + step.error.as_ref().map_or(0, json_size);
            stored.journal_bytes += json_size(&step.request) + answer;
            if step.verb == HostVerb::Emit.name() && step.error.is_none() {
                stored.events_bytes += asked_bytes(&step.request);
            }
        }
        stored
    }

    pub fn journal_bytes(&self) -> u64 {
        self.journal_bytes
    }

    /// Takes in a Step that is asked for the first time, perhaps the first of its lane, or says why there can be no more
    /// of them.
    pub fn ask(&mut self, is_new_lane: bool, request: &Value, bounds: &RunBounds) -> Result<(), OverBound> {
        if let Some(over) = &self.full {
            return Err(over.clone());
        }
        let asked = self.admit(is_new_lane, request, bounds);
        self.full = asked.as_ref().err().cloned();
        asked
    }

    fn admit(&mut self, is_new_lane: bool, request: &Value, bounds: &RunBounds) -> Result<(), OverBound> {
        let (steps, lanes) =
            (self.steps.saturating_add(1), self.lanes.saturating_add(u32::from(is_new_lane)));
        if steps > bounds.steps {
            return Err(OverBound::Steps { most: bounds.steps });
        }
        if lanes > bounds.lanes {
            return Err(OverBound::Lanes { most: bounds.lanes });
        }
        self.add("request", json_size(request), bounds)?;
        (self.steps, self.lanes) = (steps, lanes);
        Ok(())
    }

    /// Takes in what a Step answers.
    pub fn answer(&mut self, result: &Value, bounds: &RunBounds) -> Result<(), OverBound> {
        self.add("answer", json_size(result), bounds)
    }

    /// Counts the error of a Step. It is always reported; there may be no room for another Step.
    pub fn fail(&mut self, error: &RunError) {
        self.journal_bytes = self.journal_bytes.saturating_add(json_size(error));
    }

    /// Takes in an Event that the request of a Step asks to emit.
    pub fn emit(&mut self, request: &Value, bounds: &RunBounds) -> Result<(), OverBound> {
        let bytes = asked_bytes(request);
        if bytes > bounds.event_bytes {
            return Err(OverBound::Event { bytes, most: bounds.event_bytes });
        }
        let all = self.events_bytes.saturating_add(bytes);
        if all > bounds.events_bytes {
            return Err(OverBound::Events { bytes, most: bounds.events_bytes });
        }
        self.events_bytes = all;
        Ok(())
    }

    fn add(&mut self, what: &'static str, bytes: u64, bounds: &RunBounds) -> Result<(), OverBound> {
        let all = self.journal_bytes.saturating_add(bytes);
        if all > bounds.journal_bytes {
            return Err(OverBound::Journal { what, bytes, most: bounds.journal_bytes });
        }
        self.journal_bytes = all;
        Ok(())
    }
}

/// What counts of a row in the journal of a Graph.
pub fn graph_row_bytes(bytes: u64) -> u64 {
    bytes.saturating_sub(GRAPH_ROW_BYTES)
}

/// A request as it is journaled.
pub fn journaled(request: Value) -> Value {
    let bytes = json_size(&request);
    if bytes <= REQUEST_BYTES {
        return request;
    }
    // The order of keys is not part of what is compared.
    let hash = Sha256::digest(sorted(request).to_string());
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    json!({ "$described": { "type": "cut", "bytes": bytes, "sha256": hash } })
}

/// How large a request was when it was asked.
fn asked_bytes(request: &Value) -> u64 {
    let cut = &request["$described"];
    if cut["type"] == "cut" { cut["bytes"].as_u64().unwrap_or_default() } else { json_size(request) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: RunBounds = RunBounds {
        steps: 3,
        lanes: 2,
        journal_bytes: 100,
        event_bytes: 20,
        events_bytes: 50,
        nodes: 3,
        link_bytes: 100,
    };

    fn text(bytes: usize) -> Value {
        // Two of them are the quotes.
        json!("x".repeat(bytes - 2))
    }

    #[test]
    fn a_run_makes_so_many_steps_and_stores_so_much() {
        let mut stored = Stored::default();
        assert_eq!(stored.ask(true, &text(40), &BOUNDS), Ok(()));
        let over = stored.answer(&text(61), &BOUNDS).unwrap_err();
        assert_eq!(
            over.to_string(),
            "with this answer of 61 bytes the steps of this run would take more than 100 bytes, the maximum that one run may \
             store (setting `run_journal_bytes`); pass large values in files, or start other runs for the rest"
        );
        assert_eq!(stored.answer(&text(60), &BOUNDS), Ok(()), "what was refused is not counted");
        assert_eq!(stored.journal_bytes(), 100);
        assert!(matches!(stored.ask(false, &text(2), &BOUNDS), Err(OverBound::Journal { .. })));
        let mut stored = Stored::default();
        for _ in 0..3 {
            assert_eq!(stored.ask(false, &text(2), &BOUNDS), Ok(()));
        }
        assert_eq!(stored.ask(false, &text(2), &BOUNDS), Err(OverBound::Steps { most: 3 }));
    }

    #[test]
    fn steps_are_made_in_so_many_lanes() {
        let mut stored = Stored::default();
        for _ in 0..2 {
            assert_eq!(stored.ask(true, &text(2), &BOUNDS), Ok(()));
        }
        let over = stored.ask(true, &text(2), &BOUNDS).unwrap_err();
        insta::assert_snapshot!(over, @"steps of this run were asked for in 2 threads and tasks, the maximum for one run; ask for more of them in each thread or task, or start other runs for the rest");
    }

    #[test]
    fn after_a_step_that_was_refused_there_is_no_other_that_would_leave_a_gap() {
        let mut stored = Stored::default();
        assert!(stored.ask(true, &text(101), &BOUNDS).is_err());
        assert!(stored.ask(false, &text(2), &BOUNDS).is_err());
    }

    #[test]
    fn events_are_bounded_one_by_one_and_together() {
        let mut stored = Stored::default();
        assert_eq!(stored.emit(&text(21), &BOUNDS), Err(OverBound::Event { bytes: 21, most: 20 }));
        assert_eq!(stored.emit(&text(20), &BOUNDS), Ok(()));
        assert_eq!(stored.emit(&text(20), &BOUNDS), Ok(()));
        assert_eq!(stored.emit(&text(11), &BOUNDS), Err(OverBound::Events { bytes: 11, most: 50 }));
        assert_eq!(stored.emit(&text(10), &BOUNDS), Ok(()));
    }

    #[test]
    fn a_large_request_is_journaled_as_its_size_and_hash_and_still_tells_others_apart() {
        let large = |last: &str| json!({ "args": ["x".repeat(2 << 20), last] });
        let (one, other) = (journaled(large("a")), journaled(large("b")));
        assert!(json_size(&one) < 200, "{one}");
        assert_ne!(one, other);
        assert_eq!(one, journaled(large("a")));
        assert_eq!(asked_bytes(&one), json_size(&large("a")));
        assert_eq!(journaled(json!({ "args": [1] })), json!({ "args": [1] }));
    }
}
