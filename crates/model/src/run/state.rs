//! The states of a Run, and what may happen in each.

use serde::{Deserialize, Serialize};
use thiserror::Error;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    Queued,
    Running,
    Waiting,
    Succeeded,
    Failed,
    Cancelled,
}

impl RunState {
    pub const ALL: [RunState; 6] =
        [Self::Queued, Self::Running, Self::Waiting, Self::Succeeded, Self::Failed, Self::Cancelled];

    pub fn as_str(self) -> &'static str {
        match self {
            RunState::Queued => "queued",
            RunState::Running => "running",
            RunState::Waiting => "waiting",
            RunState::Succeeded => "succeeded",
            RunState::Failed => "failed",
            RunState::Cancelled => "cancelled",
        }
    }

    pub fn is_final(self) -> bool {
        matches!(self, RunState::Succeeded | RunState::Failed | RunState::Cancelled)
    }

    /// Where a Run goes when something happens to it.
    pub fn after(self, happening: Happening) -> Result<RunState, IllegalHappening> {
        use Happening::{Cancel, Claim, Fail, Requeue, Succeed, Suspend, Wake};
        use RunState::{Cancelled, Failed, Queued, Running, Succeeded, Waiting};
        match (self, happening) {
            (Queued, Claim) => Ok(Running),
            (Running, Succeed) => Ok(Succeeded),
            (Running | Queued | Waiting, Fail) => Ok(Failed),
            (Running, Requeue) | (Waiting, Wake) => Ok(Queued),
            (Running, Suspend) => Ok(Waiting),
            (Queued | Running | Waiting, Cancel) => Ok(Cancelled),
            _ => Err(IllegalHappening { state: self, happening }),
        }
    }
}

/// What can happen to a Run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Happening {
    /// A node takes it from the queue.
    Claim,
    Succeed,
    Fail,
    /// It is tried again, later, or resumed after its node was lost.
    Requeue,
    /// It waits for a person or a time, without a cell.
    Suspend,
    /// What it waited for is there.
    Wake,
    Cancel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a run that is {} cannot {}", .state.as_str(), .happening.words())]
pub struct IllegalHappening {
    pub state: RunState,
    pub happening: Happening,
}

impl Happening {
    fn words(self) -> &'static str {
        match self {
            Happening::Claim => "be taken from the queue",
            Happening::Succeed => "succeed",
            Happening::Fail => "fail",
            Happening::Requeue => "be queued again",
            Happening::Suspend => "begin to wait",
            Happening::Wake => "be woken",
            Happening::Cancel => "be cancelled",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HAPPENINGS: [Happening; 7] = [
        Happening::Claim,
        Happening::Succeed,
        Happening::Fail,
        Happening::Requeue,
        Happening::Suspend,
        Happening::Wake,
        Happening::Cancel,
    ];

    #[test]
    fn nothing_happens_to_a_run_that_has_ended() {
        for state in RunState::ALL.into_iter().filter(|state| state.is_final()) {
            for happening in HAPPENINGS {
                assert!(state.after(happening).is_err(), "{state:?} {happening:?}");
            }
        }
    }

    #[test]
    fn every_run_that_has_not_ended_can_be_cancelled_and_can_fail() {
        for state in RunState::ALL.into_iter().filter(|state| !state.is_final()) {
            assert_eq!(state.after(Happening::Cancel), Ok(RunState::Cancelled));
            assert_eq!(state.after(Happening::Fail), Ok(RunState::Failed));
        }
    }

    #[test]
    fn an_illegal_happening_says_what_cannot_be() {
        let error = RunState::Succeeded.after(Happening::Cancel).unwrap_err();
        assert_eq!(error.to_string(), "a run that is succeeded cannot be cancelled");
    }
}
