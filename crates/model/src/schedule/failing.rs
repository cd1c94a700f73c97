//! When a Schedule keeps failing: so often in a row that a person should hear of it.

use jiff::Timestamp;
use serde_json::json;

use crate::access::actor::Actor;
use crate::event::{EventKind, NewEvent};
use crate::ids::{EntryId, RunId};
use crate::name::EntryName;
use crate::run::{RunError, RunState};

/// One failure may be chance, and two a service that is down.
pub const KEEPS_FAILING: u32 = 3;

/// How often a Schedule has failed since a Run of it succeeded. A tick fails if its Run fails, or if it starts none because of an error. A
/// Run that was cancelled, and a tick that was skipped because the last Run goes on, say nothing either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Failures(pub u32);

impl Failures {
    #[must_use]
    pub fn and_another(self) -> Failures {
        Failures(self.0.saturating_add(1))
    }

    /// Whether the last of them is the one that is told: the ones before may pass, the ones after are known.
    pub fn is_reported(self) -> bool {
        self.0 == KEEPS_FAILING
    }
}

/// What the end of a Run says of the Schedule that started it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleResult {
    Works,
    Fails,
    Nothing,
}

impl ScheduleResult {
    pub fn of(state: RunState) -> ScheduleResult {
        match state {
            RunState::Succeeded => ScheduleResult::Works,
            RunState::Failed => ScheduleResult::Fails,
            RunState::Cancelled | RunState::Queued | RunState::Running | RunState::Waiting => {
                ScheduleResult::Nothing
            }
        }
    }
}

/// The failure that is told.
#[derive(Clone, Debug, PartialEq)]
pub struct LastFailure<'a> {
    pub target: &'a EntryName,
    /// The Run that failed, if one was started.
    pub run: Option<RunId>,
    pub error: RunError,
}

impl LastFailure<'_> {
    pub fn event(self, schedule: EntryId, name: &EntryName, failures: Failures, at: Timestamp) -> NewEvent {
        let Failures(times) = failures;
        let RunError { type_name, message, .. } = &self.error;
        let why = if message.is_empty() { type_name.clone() } else { format!("{type_name}: {message}") };
        NewEvent {
            kind: EventKind::ScheduleFailing,
            source: name.to_string(),
            data: json!({
                "target": self.target, "failures": times, "run_id": self.run,
                "error": { "type": type_name, "message": message },
                "message": format!("schedule `{name}` failed {times} times in a row: {why}"),
            }),
            actor: Actor::Schedule(schedule),
            at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(failures: u32) -> Vec<u32> {
        let mut streak = Failures::default();
        let all = (0..failures).map(|_| {
            streak = streak.and_another();
            streak
        });
        all.filter(|streak| streak.is_reported()).map(|streak| streak.0).collect()
    }

    #[test]
    fn that_a_schedule_keeps_failing_is_reported_once() {
        assert_eq!(reported(KEEPS_FAILING - 1), [0; 0]);
        assert_eq!(reported(KEEPS_FAILING), [KEEPS_FAILING]);
        assert_eq!(reported(100), [KEEPS_FAILING]);
    }

    #[test]
    fn it_is_reported_in_words() {
        let error = RunError {
            type_name: "KeyError".to_owned(),
            message: "'x'".to_owned(),
            traceback: None,
            hint: None,
        };
        let (target, name): (EntryName, EntryName) = ("report".parse().unwrap(), "nightly".parse().unwrap());
        let message = |error: RunError| {
            let last = LastFailure { target: &target, run: None, error };
            let event = last.event(EntryId(uuid::Uuid::nil()), &name, Failures(3), Timestamp::UNIX_EPOCH);
            event.data["message"].as_str().unwrap().to_owned()
        };
        insta::assert_snapshot!(message(error.clone()), @"schedule `nightly` failed 3 times in a row: KeyError: 'x'");
        insta::assert_snapshot!(message(error.forgotten()), @"schedule `nightly` failed 3 times in a row: KeyError");
    }

    #[test]
    fn only_success_ends_a_row_of_failures() {
        assert_eq!(ScheduleResult::of(RunState::Succeeded), ScheduleResult::Works);
        assert_eq!(ScheduleResult::of(RunState::Failed), ScheduleResult::Fails);
        assert_eq!(ScheduleResult::of(RunState::Cancelled), ScheduleResult::Nothing);
    }
}
