//! Why a verb has no answer: two ways, told apart so that both can be `?`-ed.

use super::Refusal;
use crate::error::Error;

pub(super) enum Stop {
    Refusal(Refusal),
    Error(Error),
}

impl Stop {
    pub(super) fn into_refusal(self) -> Refusal {
        match self {
            Stop::Refusal(refusal) => refusal,
            Stop::Error(error) => Refusal::of(&error),
        }
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refusal(refusal)
    }
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Error(error.into())
    }
}
