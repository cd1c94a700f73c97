//! The journal of one Run: what it asked for before, in order, so that asking again gives the same answers.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use model::bounds::{OverBound, RunBounds, Stored, journaled};
use model::ids::RunId;
use model::run::RunError;
use model::step::{Divergence, Step};
use serde_json::Value;

pub(crate) struct Journal {
    run: RunId,
    recorded: Vec<Step>,
    next: AtomicU32,
    bounds: RunBounds,
    stored: Mutex<Stored>,
}

/// What the journal says to a request.
#[derive(Debug)]
pub(crate) enum Place {
    /// It was asked and answered before.
    Answered(Step),
    /// It was asked before and not answered.
    Open(Step),
    /// It is asked for the first time.
    New(Step),
    /// The Run may not store more. Nothing is journaled about it.
    Refused(OverBound),
}

impl Journal {
    /// With what was recorded, in order.
    pub(crate) fn new(run: RunId, recorded: Vec<Step>, bounds: RunBounds) -> Journal {
        let stored = Mutex::new(Stored::of(&recorded));
        Journal { run, recorded, next: AtomicU32::new(1), bounds, stored }
    }

    /// Takes the next place for a request.
    pub(crate) fn take(&self, verb: &str, request: Value, now: Timestamp) -> Result<Place, Divergence> {
        let position = self.next.fetch_add(1, Ordering::Relaxed);
        let request = journaled(request);
        let Some(step) = self.recorded.get(position as usize - 1) else {
            if let Err(over) = self.stored().ask(position, &request, &self.bounds) {
                return Ok(Place::Refused(over));
            }
            return Ok(Place::New(Step {
                run_id: self.run,
                position,
                verb: verb.to_owned(),
                request,
                result: None,
                error: None,
                child: None,
                answered_by: None,
                started_at: now,
                finished_at: None,
            }));
        };
        // One that was journaled whole, before large requests were cut, is compared as it would be journaled now.
        step.answers(verb, &request).or_else(|divergence| {
            let is_same = step.verb == verb && journaled(step.request.clone()) == request;
            if is_same { Ok(()) } else { Err(divergence) }
        })?;
        Ok(if step.finished_at.is_some() { Place::Answered(step.clone()) } else { Place::Open(step.clone()) })
    }

    /// Whether there is room for what a Step answers.
    pub(crate) fn admit_answer(&self, result: &Value) -> Result<(), OverBound> {
        self.stored().answer(result, &self.bounds)
    }

    /// Counts why a Step has no answer.
    pub(crate) fn count_error(&self, error: &RunError) {
        self.stored().fail(error);
    }

    /// Whether the Run may emit the Event that a Step asks for.
    pub(crate) fn admit_event(&self, request: &Value) -> Result<(), OverBound> {
        self.stored().emit(request, &self.bounds)
    }

    fn stored(&self) -> MutexGuard<'_, Stored> {
        // Nothing that holds the lock can panic half-way through a change.
        self.stored.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How much of what was recorded has not been asked for again.
    pub(crate) fn left(&self) -> usize {
        self.recorded.len().saturating_sub(self.next.load(Ordering::Relaxed) as usize - 1)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    const RUN: RunId = RunId(Uuid::nil());

    fn step(position: u32, verb: &str, finished: bool) -> Step {
        let at = Timestamp::UNIX_EPOCH;
        Step {
            run_id: RUN,
            position,
            verb: verb.to_owned(),
            request: json!({"n": position}),
            result: Some(json!(position)),
            error: None,
            child: None,
            answered_by: None,
            started_at: at,
            finished_at: finished.then_some(at),
        }
    }

    #[test]
    fn what_was_answered_is_answered_again_and_what_was_open_goes_on() {
        let journal =
            Journal::new(RUN, vec![step(1, "now", true), step(2, "sleep", false)], RunBounds::default());
        let now = Timestamp::UNIX_EPOCH;
        assert!(matches!(journal.take("now", json!({"n": 1}), now), Ok(Place::Answered(_))));
        assert_eq!(journal.left(), 1);
        assert!(matches!(journal.take("sleep", json!({"n": 2}), now), Ok(Place::Open(_))));
        assert!(matches!(journal.take("emit", json!({}), now), Ok(Place::New(step)) if step.position == 3));
        assert_eq!(journal.left(), 0);
    }

    #[test]
    fn asking_for_something_else_is_a_divergence_that_shows_both() {
        let journal = Journal::new(RUN, vec![step(1, "now", true)], RunBounds::default());
        let divergence = journal.take("random", json!({}), Timestamp::UNIX_EPOCH).unwrap_err();
        assert_eq!(divergence.to_string(), "step 1 was `now` with {\"n\":1}, and is now `random` with {}");
    }
}
