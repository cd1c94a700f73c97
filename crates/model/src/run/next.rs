//! What comes next for a Run, given the outcome of executing it. Time and randomness are passed in.

use std::time::Duration;

use jiff::Timestamp;

use super::{End, Ending, Lease, Run, RunError, RunState, Waiting};
use crate::access::actor::Actor;

/// The outcome of executing a Run.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Ended(End),
    /// It waits for a person or a time, and has given its cell back.
    Waits(Waiting),
    /// Its end was asked for.
    Cancelled,
    /// What it asked for is not what its journal says.
    Diverged(String),
    /// Its server stops.
    ServerStops,
    /// The database could not be used, so that what it did next is not journaled, and its code never heard of it.
    DatabaseFailed(String),
}

/// What to store for a Run that is no longer executing.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    End(End),
    Suspend(Waiting),
    Requeue(Requeue),
}

/// A Run goes back to the queue: to be resumed, or, with the error of a try that failed, to be tried again.
#[derive(Clone, Debug, PartialEq)]
pub struct Requeue {
    pub due_at: Timestamp,
    pub attempt: u32,
    pub error: Option<RunError>,
}

/// How a node left a Run behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftBehind {
    NotBegun,
    /// It had begun to execute it, or that is not known because the node is gone.
    Begun,
    /// What executed it panicked.
    Panicked,
}

/// How often a Run that makes its server panic is executed. Without a bound it would do so for ever: the code and its journal are the
/// same each time.
const PANICS: u32 = 3;

const LOST: &str = "the server running it was lost; it may have had effects that are not steps, so it is not rerun \
                    automatically. Rerun it, or declare it `idempotent=True`";
const PANICKED: &str =
    "the server panicked while executing the run, which is a bug of the server; its log says where";
const NEVER_BEGUN: &str = "it was recorded but never started, and its input was not recorded. Run it again";

impl Run {
    /// `chance` is between 0 and 1.
    pub fn next(&self, outcome: Outcome, now: Timestamp, chance: f64) -> Next {
        Next::End(match outcome {
            Outcome::Ended(end) => return self.ended_or_tried_again(end, now, chance),
            Outcome::Waits(waiting) => return Next::Suspend(waiting),
            Outcome::Cancelled => End::cancelled(None),
            Outcome::Diverged(why) => End::failed("replay_diverged", why, None),
            Outcome::ServerStops | Outcome::DatabaseFailed(_) if self.how.resumable => {
                return self.resumed(now);
            }
            Outcome::ServerStops => {
                End::failed("Lost", "the server stopped while it ran", Some(Ending::Lost))
            }
            Outcome::DatabaseFailed(why) => End::failed("NotJournaled", why, None),
        })
    }

    /// What happens to a Run that no node executes any more.
    pub fn recovered(&self, left: LeftBehind, now: Timestamp) -> Next {
        // A waited-for Run may have got more input than is recorded, and then is not resumable.
        let is_whole = left == LeftBehind::NotBegun && !self.how.waited;
        if self.cancelled.is_some() {
            Next::End(End::cancelled(None))
        } else if left == LeftBehind::Panicked && self.attempt >= PANICS {
            Next::End(End::failed("EngineFailed", PANICKED, Some(Ending::Lost)))
        } else if self.how.resumable || is_whole {
            let attempt = self.attempt + u32::from(left == LeftBehind::Panicked);
            Next::Requeue(Requeue { due_at: now, attempt, error: None })
        } else {
            let why = match left {
                LeftBehind::NotBegun => NEVER_BEGUN,
                LeftBehind::Begun => LOST,
                LeftBehind::Panicked => PANICKED,
            };
            Next::End(End::failed("Lost", why, Some(Ending::Lost)))
        }
    }

    fn ended_or_tried_again(&self, end: End, now: Timestamp, chance: f64) -> Next {
        let ending = end.ending.filter(|_| end.state == RunState::Failed);
        let rest = ending.and_then(|ending| self.how.retry.rest(self.attempt, ending, chance));
        match rest {
            Some(rest) => Next::Requeue(Requeue {
                due_at: now + Duration::from_millis(rest),
                attempt: self.attempt + 1,
                error: end.error,
            }),
            None => Next::End(end),
        }
    }

    /// From its journal, by any node with a free slot.
    fn resumed(&self, now: Timestamp) -> Next {
        Next::Requeue(Requeue { due_at: now, attempt: self.attempt, error: None })
    }

    /// As recorded by a node that executes it at once, without the queue.
    #[must_use]
    pub fn begun(self, lease: Lease) -> Run {
        let started_at = Some(self.created_at);
        Run { state: RunState::Running, started_at, lease: Some(lease), ..self }
    }

    #[must_use]
    pub fn suspended(self, waiting: Waiting) -> Run {
        Run { state: RunState::Waiting, waiting: Some(waiting), lease: None, ..self }
    }

    #[must_use]
    pub fn requeued(self, requeue: Requeue) -> Run {
        let Requeue { due_at, attempt, error } = requeue;
        let mut how = self.how.clone();
        how.due_at = Some(due_at);
        Run { state: RunState::Queued, attempt, error, how, lease: None, ..self }
    }

    /// With the request to cancel it. A Run without a cell ends at once; a running one is ended by the node that executes it.
    #[must_use]
    pub fn cancelled_by(self, actor: &Actor, at: Timestamp) -> Run {
        let mut run = self;
        run.cancelled.get_or_insert_with(|| (actor.clone(), at));
        match run.state {
            RunState::Queued | RunState::Waiting => {
                let end = End { ending: None, error: run.error.clone(), ..End::cancelled(run.usage) };
                run.ended(end, at)
            }
            RunState::Running | RunState::Succeeded | RunState::Failed | RunState::Cancelled => run,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::ids::NodeId;
    use crate::run::Usage;
    use crate::run::retry::Retry;
    use crate::run::tests::run;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn outcomes() -> impl Strategy<Value = Outcome> {
        let ending = prop::sample::select(Ending::ALL.to_vec());
        prop_oneof![
            Just(Outcome::Ended(End::succeeded(json!(1), Usage::default()))),
            ending.prop_map(|ending| Outcome::Ended(End::failed("E", "", Some(ending)))),
            Just(Outcome::Waits(Waiting::Time { step: 1, until: NOW })),
            Just(Outcome::Cancelled),
            Just(Outcome::Diverged("differs".to_owned())),
            Just(Outcome::ServerStops),
            Just(Outcome::DatabaseFailed("gone".to_owned())),
        ]
    }

    fn any_run() -> impl Strategy<Value = Run> {
        (any::<bool>(), any::<bool>(), any::<bool>(), 1_u32..5, 1_u32..5).prop_map(
            |(resumable, waited, is_cancelled, attempt, attempts)| {
                let lease = Lease { node: NodeId(Uuid::nil()), fence: 1, until: NOW };
                let mut run = run().begun(lease);
                (run.how.resumable, run.how.waited, run.attempt) = (resumable, waited, attempt);
                run.how.retry = Retry::of(attempts);
                run.cancelled = is_cancelled.then_some((Actor::CommandLine, NOW));
                run
            },
        )
    }

    proptest! {
        #[test]
        fn an_end_is_final_and_what_goes_on_holds_no_lease(run in any_run(), outcome in outcomes(), chance in 0.0..1.0) {
            let after = match run.next(outcome, NOW, chance) {
                Next::End(end) => {
                    let ended = run.ended(end, NOW);
                    prop_assert!(ended.state.is_final() && ended.finished_at.is_some());
                    return Ok(());
                }
                Next::Suspend(waiting) => run.suspended(waiting),
                Next::Requeue(requeue) => run.requeued(requeue),
            };
            prop_assert!(!after.state.is_final() && after.state != RunState::Running && after.lease.is_none());
        }

        #[test]
        fn a_database_that_fails_and_a_server_that_stops_fail_no_run_that_can_be_resumed(run in any_run()) {
            for outcome in [Outcome::ServerStops, Outcome::DatabaseFailed("gone".to_owned())] {
                let is_resumed = matches!(run.next(outcome, NOW, 0.5), Next::Requeue(next) if next.attempt == run.attempt);
                prop_assert_eq!(is_resumed, run.how.resumable);
            }
        }

        #[test]
        fn nothing_is_executed_twice_that_may_have_had_effects(run in any_run()) {
            let is_queued = |left| matches!(run.recovered(left, NOW), Next::Requeue(_));
            prop_assert_eq!(is_queued(LeftBehind::Begun), run.how.resumable && run.cancelled.is_none());
            let is_whole = run.how.resumable || !run.how.waited;
            prop_assert_eq!(is_queued(LeftBehind::NotBegun), is_whole && run.cancelled.is_none());
            prop_assert!(is_queued(LeftBehind::Begun) || !is_queued(LeftBehind::Panicked));
        }

        #[test]
        fn cancelling_twice_is_cancelling_once(run in any_run()) {
            let once = run.cancelled_by(&Actor::CommandLine, NOW);
            let again = once.clone().cancelled_by(&Actor::CommandLine, NOW + Duration::from_secs(1));
            prop_assert_eq!(once, again);
        }
    }

    #[test]
    fn a_run_that_makes_its_server_panic_is_executed_a_few_times() {
        let lease = Lease { node: NodeId(Uuid::nil()), fence: 1, until: NOW };
        let mut run = run().begun(lease);
        run.how.resumable = true;
        let mut executions = 1;
        let end = loop {
            match run.recovered(LeftBehind::Panicked, NOW) {
                Next::Requeue(requeue) => run = run.requeued(requeue).begun(lease),
                Next::End(end) => break end,
                Next::Suspend(_) => panic!("nobody waits"),
            }
            executions += 1;
        };
        assert_eq!((executions, end.state), (PANICS, RunState::Failed));
        assert_eq!(end.error.unwrap().type_name, "EngineFailed");
    }

    #[test]
    fn what_has_no_cell_ends_when_it_is_cancelled() {
        let queued = run().cancelled_by(&Actor::CommandLine, NOW);
        assert_eq!((queued.state, queued.finished_at), (RunState::Cancelled, Some(NOW)));
        let waiting = run().suspended(Waiting::Time { step: 1, until: NOW });
        let waiting = waiting.cancelled_by(&Actor::CommandLine, NOW);
        assert_eq!((waiting.state, waiting.waiting), (RunState::Cancelled, None));
    }
}
