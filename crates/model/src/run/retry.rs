//! Retries: whether a failed Run is tried again, and when. Randomness is passed in.

use serde::{Deserialize, Serialize};

use crate::run::Ending;

/// How often a Run is tried and how long it waits in between: doubling from `first_ms` up to `most_ms`, each wait
/// shortened by up to half, so that Runs that failed together do not retry together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Retry {
    /// The total number of tries; 1 means no retries.
    pub attempts: u32,
    pub first_ms: u64,
    pub most_ms: u64,
}

impl Default for Retry {
    fn default() -> Retry {
        Retry { attempts: 1, first_ms: 1_000, most_ms: 60_000 }
    }
}

impl Retry {
    pub fn of(attempts: u32) -> Retry {
        Retry { attempts, ..Retry::default() }
    }

    pub fn is_never(&self) -> bool {
        self.attempts <= 1
    }

    /// How many milliseconds to rest after the try of this number (from 1) ended so; nothing if it was the last.
    /// `chance` is between 0 and 1.
    pub fn rest(&self, attempt: u32, ending: Ending, chance: f64) -> Option<u64> {
        if attempt >= self.attempts || !is_worth_another_try(ending) {
            return None;
        }
        let doubled = self.first_ms.saturating_mul(1 << (attempt - 1).min(32));
        let full = doubled.min(self.most_ms);
        Some((full as f64 * (1.0 - chance.clamp(0.0, 1.0) / 2.0)) as u64)
    }
}

/// A Run that was killed was meant to end, one that broke the protocol is hostile, and one that is lost is not tried again
/// but resumed, if it can be.
fn is_worth_another_try(ending: Ending) -> bool {
    match ending {
        Ending::Raised | Ending::TimedOut | Ending::OutOfMemory | Ending::Crashed => true,
        Ending::Returned | Ending::Killed | Ending::BrokeProtocol | Ending::Lost => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_run_rests_twice_as_long_each_time_up_to_the_most() {
        let retry = Retry { attempts: 5, first_ms: 100, most_ms: 300 };
        let rests: Vec<_> = (1..=5).map(|attempt| retry.rest(attempt, Ending::Raised, 0.0)).collect();
        assert_eq!(rests, [Some(100), Some(200), Some(300), Some(300), None]);
    }

    #[test]
    fn a_run_that_was_killed_is_not_tried_again() {
        assert_eq!(Retry::of(9).rest(1, Ending::Killed, 0.0), None);
    }

    proptest! {
        #[test]
        fn chance_shortens_a_rest_by_at_most_half(attempt in 1u32..200, chance in 0.0f64..=1.0) {
            let retry = Retry { attempts: 1_000, first_ms: 1_000, most_ms: 60_000 };
            let full = retry.rest(attempt, Ending::Raised, 0.0).unwrap();
            let rest = retry.rest(attempt, Ending::Raised, chance).unwrap();
            prop_assert!(rest <= full && rest >= full / 2);
        }
    }
}
