//! What a Run of a Graph can wait for without a cell or a place: times, people, and Runs that wait themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;
use model::graph::scheduler::ExecutionId;
use model::run::Waiting;
use serde_json::Value;

/// A Run that waits for others checks them itself after a time between these two, in case it was not woken.
const NET: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(300));

/// What is held at breakpoints.
pub(super) struct Held {
    pub(super) nodes: Vec<String>,
    pub(super) values: usize,
}

#[derive(Default)]
pub(super) struct Waits {
    times: BTreeMap<ExecutionId, (Timestamp, u32)>,
    questions: BTreeMap<ExecutionId, (u32, Value)>,
    runs: BTreeSet<ExecutionId>,
}

impl Waits {
    pub(super) fn for_time(&mut self, execution: ExecutionId, until: Timestamp, position: u32) {
        self.times.insert(execution, (until, position));
    }

    pub(super) fn for_person(&mut self, execution: ExecutionId, position: u32, question: Value) {
        self.questions.insert(execution, (position, question));
    }

    pub(super) fn for_run(&mut self, execution: ExecutionId) {
        self.runs.insert(execution);
    }

    pub(super) fn no_longer(&mut self, execution: ExecutionId) {
        self.runs.remove(&execution);
        self.times.remove(&execution);
        self.questions.remove(&execution);
    }

    /// How many Runs of nodes wait themselves.
    pub(super) fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Those whose time has come.
    pub(super) fn due(&self, now: Timestamp) -> Vec<ExecutionId> {
        self.times.iter().filter(|(_, (until, _))| *until <= now).map(|(execution, _)| *execution).collect()
    }

    /// The first time that comes.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.times.values().map(|(until, _)| *until).min()
    }

    /// What the Run waits for if nothing else goes on in it. A time that comes soon is waited for here. `held` says where it stands at
    /// breakpoints.
    pub(super) fn waiting(
        &self,
        since: Timestamp,
        now: Timestamp,
        hold: Duration,
        held: Option<Held>,
    ) -> Option<Waiting> {
        let net = (!self.runs.is_empty()).then(|| now + net(since, now));
        let until = [self.next(), net].into_iter().flatten().min();
        if self.next().is_some_and(|next| next <= now + hold) {
            return None;
        }
        if let Some((position, question)) = self.questions.values().min_by_key(|(position, _)| *position) {
            return Some(Waiting::Person { step: *position, question: question.clone(), until });
        }
        if let Some(Held { nodes, values }) = held {
            return Some(Waiting::Breakpoints { nodes, values, until });
        }
        let until = until?;
        if !self.runs.is_empty() {
            return Some(Waiting::Runs { until });
        }
        let (_, step) = self.times.values().min()?;
        Some(Waiting::Time { step: *step, until })
    }
}

/// The longer it goes on, the less often.
fn net(since: Timestamp, now: Timestamp) -> Duration {
    let elapsed = Duration::try_from(now.duration_since(since)).unwrap_or_default();
    (elapsed / 4).clamp(NET.0, NET.1)
}

#[cfg(test)]
mod tests {
    use model::graph::scheduler::NodeIndex;
    use serde_json::json;

    use super::*;

    const HOLD: Duration = Duration::from_secs(2);

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn node(node: u32) -> ExecutionId {
        ExecutionId { node: NodeIndex(node), number: 1 }
    }

    #[test]
    fn a_question_comes_first_and_wakes_for_a_time() {
        let mut waits = Waits::default();
        assert_eq!(waits.waiting(at(0), at(0), HOLD, None), None);
        waits.for_time(node(1), at(60), 4);
        assert_eq!(waits.waiting(at(0), at(0), HOLD, None), Some(Waiting::Time { step: 4, until: at(60) }));
        waits.for_person(node(2), 7, json!("later"));
        waits.for_person(node(3), 5, json!("first"));
        let waiting = Waiting::Person { step: 5, question: json!("first"), until: Some(at(60)) };
        assert_eq!(waits.waiting(at(0), at(0), HOLD, None), Some(waiting));
        assert_eq!(waits.waiting(at(0), at(59), HOLD, None), None, "the time has nearly come");
    }

    #[test]
    fn who_stands_at_a_breakpoint_waits_for_a_person_and_wakes_for_a_time() {
        let mut waits = Waits::default();
        let held = || Some(Held { nodes: vec!["a".to_owned()], values: 2 });
        let waiting = |until| Some(Waiting::Breakpoints { nodes: vec!["a".to_owned()], values: 2, until });
        assert_eq!(waits.waiting(at(0), at(0), HOLD, held()), waiting(None));
        waits.for_time(node(1), at(60), 4);
        assert_eq!(waits.waiting(at(0), at(0), HOLD, held()), waiting(Some(at(60))));
    }

    #[test]
    fn runs_are_looked_after_less_and_less_often() {
        let mut waits = Waits::default();
        waits.for_run(node(1));
        assert_eq!(waits.waiting(at(0), at(0), HOLD, None), Some(Waiting::Runs { until: at(5) }));
        assert_eq!(waits.waiting(at(0), at(400), HOLD, None), Some(Waiting::Runs { until: at(500) }));
        assert_eq!(waits.waiting(at(0), at(90_000), HOLD, None), Some(Waiting::Runs { until: at(90_300) }));
    }
}
