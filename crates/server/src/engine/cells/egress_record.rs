//! Runs that may use the network, and how many requests of each are recorded. Counted in memory, so that a request that is
//! not recorded costs no database access.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::ids::RunId;
use store::MOST_REQUESTS;

use crate::secrets::redaction::Redaction;

/// Runs that are remembered. A request may be over some time after its Run is.
const REMEMBERED: usize = 10_000;
/// Refused requests of one Run that are recorded: they cost the code nothing, so it can make any number.
const MOST_REFUSED: u32 = 100;

#[derive(Clone, Default)]
pub(crate) struct ExpectedRuns(Arc<Mutex<Runs>>);

/// The oldest is forgotten first.
#[derive(Default)]
struct Runs {
    known: HashMap<RunId, Expected>,
    order: VecDeque<RunId>,
    /// Requests that were not recorded, and whose number has to be.
    left_out: HashMap<RunId, u64>,
}

struct Expected {
    /// What is redacted of its requests.
    redaction: Arc<Redaction>,
    recorded: u32,
    refused: u32,
}

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admitted {
    Recorded,
    /// Only counted; whether it is the first since the numbers were taken.
    LeftOut {
        first: bool,
    },
    /// Nobody knows its Run.
    Unknown,
}

impl ExpectedRuns {
    /// From now on requests of this Run are recorded, without the secrets that it was handed.
    pub(crate) fn expect(&self, run: RunId, redaction: Arc<Redaction>) {
        let mut runs = self.lock();
        runs.known.insert(run, Expected { redaction, recorded: 0, refused: 0 });
        runs.order.push_back(run);
        while runs.order.len() > REMEMBERED
            && let Some(oldest) = runs.order.pop_front()
        {
            runs.known.remove(&oldest);
        }
    }

    /// Requests of this Run are not recorded any more.
    pub(crate) fn forget(&self, run: RunId) {
        let mut runs = self.lock();
        runs.known.remove(&run);
        runs.left_out.remove(&run);
    }

    pub(crate) fn redaction(&self, run: RunId) -> Option<Arc<Redaction>> {
        self.lock().known.get(&run).map(|expected| Arc::clone(&expected.redaction))
    }

    /// Counts a request.
    pub(crate) fn admit(&self, run: RunId, is_refused: bool) -> Admitted {
        let mut runs = self.lock();
        let Some(expected) = runs.known.get_mut(&run) else { return Admitted::Unknown };
        if expected.recorded >= MOST_REQUESTS || (is_refused && expected.refused >= MOST_REFUSED) {
            return runs.leave_out(run);
        }
        expected.recorded += 1;
        expected.refused += u32::from(is_refused);
        Admitted::Recorded
    }

    /// One that was to be recorded and cannot be.
    pub(crate) fn leave_out(&self, run: RunId) -> Admitted {
        self.lock().leave_out(run)
    }

    /// The numbers that have to be recorded.
    pub(crate) fn take_left_out(&self) -> Vec<(RunId, u64)> {
        self.lock().left_out.drain().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Runs> {
        // Nothing that holds the lock can panic half-way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Runs {
    fn leave_out(&mut self, run: RunId) -> Admitted {
        let first = self.left_out.is_empty();
        *self.left_out.entry(run).or_default() += 1;
        Admitted::LeftOut { first }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn run(number: u128) -> RunId {
        RunId(Uuid::from_u128(number))
    }

    #[test]
    fn only_the_first_refusals_are_recorded_and_all_are_counted() {
        let runs = ExpectedRuns::default();
        runs.expect(run(1), Arc::default());
        let recorded = (0..1_000_000).filter(|_| runs.admit(run(1), true) == Admitted::Recorded).count();
        assert_eq!(recorded, MOST_REFUSED as usize);
        assert_eq!(runs.admit(run(1), false), Admitted::Recorded, "what is let through has room of its own");
        assert_eq!(runs.take_left_out(), [(run(1), 1_000_000 - u64::from(MOST_REFUSED))]);
        assert_eq!(runs.take_left_out(), []);
    }

    #[test]
    fn what_is_held_is_bounded_by_runs_and_not_by_requests() {
        let runs = ExpectedRuns::default();
        for number in 0..(REMEMBERED as u128 + 10) {
            runs.expect(run(number), Arc::default());
        }
        assert_eq!(runs.lock().known.len(), REMEMBERED);
        assert_eq!(runs.admit(run(0), true), Admitted::Unknown);
        let last = run(REMEMBERED as u128);
        for _ in 0..10_000 {
            runs.admit(last, true);
        }
        assert_eq!(runs.lock().left_out.len(), 1);
    }
}
