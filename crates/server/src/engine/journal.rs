//! The journal of one Run: what it asked for before, in order, so that asking again gives the same answers.

use std::sync::atomic::{AtomicU32, Ordering};

use jiff::Timestamp;
use model::ids::RunId;
use model::step::{Divergence, Step};
use serde_json::Value;

pub(crate) struct Journal {
    run: RunId,
    recorded: Vec<Step>,
    next: AtomicU32,
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
}

impl Journal {
    /// With what was recorded, in order.
    pub(crate) fn new(run: RunId, recorded: Vec<Step>) -> Journal {
        Journal { run, recorded, next: AtomicU32::new(1) }
    }

    /// Takes the next place for a request.
    pub(crate) fn take(&self, verb: &str, request: Value, now: Timestamp) -> Result<Place, Divergence> {
        let position = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(step) = self.recorded.get(position as usize - 1) else {
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
        step.answers(verb, &request)?;
        Ok(if step.finished_at.is_some() { Place::Answered(step.clone()) } else { Place::Open(step.clone()) })
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
        let journal = Journal::new(RUN, vec![step(1, "now", true), step(2, "sleep", false)]);
        let now = Timestamp::UNIX_EPOCH;
        assert!(matches!(journal.take("now", json!({"n": 1}), now), Ok(Place::Answered(_))));
        assert_eq!(journal.left(), 1);
        assert!(matches!(journal.take("sleep", json!({"n": 2}), now), Ok(Place::Open(_))));
        assert!(matches!(journal.take("emit", json!({}), now), Ok(Place::New(step)) if step.position == 3));
        assert_eq!(journal.left(), 0);
    }

    #[test]
    fn asking_for_something_else_is_a_divergence_that_shows_both() {
        let journal = Journal::new(RUN, vec![step(1, "now", true)]);
        let divergence = journal.take("random", json!({}), Timestamp::UNIX_EPOCH).unwrap_err();
        assert_eq!(divergence.to_string(), "step 1 was `now` with {\"n\":1}, and is now `random` with {}");
    }
}
