//! How a Run with several lanes is suspended: when one of them has to wait, no lane begins another Step, and the cell is released when the
//! running ones are journaled. If they were cut off, they would be executed again when the Run is resumed.

use std::sync::{Mutex, MutexGuard, PoisonError};

use model::run::Waiting;
use model::run::host_verb::HostVerb;

use crate::engine::node::owned_runs::{Interrupt, Interruption};

pub(crate) struct Suspension {
    interrupt: Interrupt,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    under_way: usize,
    /// What the Run will wait for.
    waiting: Option<Waiting>,
}

/// A Step that is under way for as long as somebody has this.
pub(crate) struct UnderWay<'a> {
    suspension: &'a Suspension,
    is_counted: bool,
}

impl Suspension {
    pub(crate) fn new(interrupt: Interrupt) -> Suspension {
        Suspension { interrupt, state: Mutex::default() }
    }

    /// None if the Run is about to wait: then the Step is asked for again when it is resumed.
    pub(crate) fn begin(&self, verb: &str) -> Option<UnderWay<'_>> {
        let mut state = self.lock();
        if state.waiting.is_some() {
            return None;
        }
        let is_counted = !can_be_cut_off(verb);
        state.under_way += usize::from(is_counted);
        Some(UnderWay { suspension: self, is_counted })
    }

    /// Lets the Run wait as soon as nothing is under way. If several lanes want to, a question comes before a time and an
    /// earlier time before a later one; the others say so again when the Run is resumed.
    pub(crate) fn request(&self, waiting: Waiting) {
        let mut state = self.lock();
        let first = match state.waiting.take() {
            Some(other) if rank(&other) <= rank(&waiting) => other,
            _ => waiting,
        };
        state.waiting = Some(first);
        self.suspend_if_idle(&state);
    }

    fn suspend_if_idle(&self, state: &State) {
        if let (0, Some(waiting)) = (state.under_way, &state.waiting) {
            self.interrupt.set(Interruption::Suspended(waiting.clone()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that holds the lock can panic half-way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        if self.is_counted {
            let mut state = self.suspension.lock();
            state.under_way -= 1;
            self.suspension.suspend_if_idle(&state);
        }
    }
}

/// Whether nothing is done twice if it is begun once more: another Run goes on by itself and is found again, like what was proposed, also by a
/// tool, and who waits for a person or a time only waits.
fn can_be_cut_off(verb: &str) -> bool {
    use HostVerb as V;
    let verb = HostVerb::named(verb);
    matches!(
        verb,
        Some(
            V::Run | V::FuncRun | V::Call | V::Sleep | V::Ask | V::AskBudget | V::BrainPropose | V::ToolsCall
        )
    )
}

fn rank(waiting: &Waiting) -> (bool, Option<jiff::Timestamp>) {
    match waiting {
        Waiting::Person { .. } | Waiting::Breakpoints { .. } | Waiting::Decision { .. } => (false, None),
        Waiting::Time { until, .. } | Waiting::Runs { until } => (true, Some(*until)),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::Value;

    use super::*;

    fn sleep(second: i64) -> Waiting {
        Waiting::Time { step: 1, until: Timestamp::from_second(second).unwrap() }
    }

    #[test]
    fn a_run_waits_when_what_is_under_way_has_ended() {
        let interrupt = Interrupt::default();
        let suspension = Suspension::new(interrupt.clone());
        let step = suspension.begin("emit").unwrap();
        let _other_run = suspension.begin("run").unwrap();
        suspension.request(sleep(1));
        assert!(suspension.begin("emit").is_none(), "nothing more is begun");
        assert_eq!(interrupt.why(), None);
        drop(step);
        assert_eq!(interrupt.why(), Some(Interruption::Suspended(sleep(1))));
    }

    #[test]
    fn a_question_comes_first_and_then_the_earliest_time() {
        let question = Waiting::Person { step: 3, question: Value::Null, until: None };
        for (asked, first) in [
            (vec![sleep(2), sleep(1), sleep(3)], sleep(1)),
            (vec![sleep(2), question.clone(), sleep(1)], question.clone()),
        ] {
            let interrupt = Interrupt::default();
            let suspension = Suspension::new(interrupt.clone());
            let step = suspension.begin("emit");
            asked.into_iter().for_each(|waiting| suspension.request(waiting));
            drop(step);
            assert_eq!(interrupt.why(), Some(Interruption::Suspended(first)));
        }
    }
}
