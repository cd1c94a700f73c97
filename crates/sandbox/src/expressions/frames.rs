//! What goes between the server and the process that evaluates: JSON behind its length.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What an evaluation may make; questions are bounded by what they are made from.
pub(super) const MAX_ANSWER: usize = 8 << 20;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Answer {
    Value(Value),
    Undefined,
    Failed(String),
}

impl Answer {
    pub(super) fn of(evaluated: Result<Option<Value>, String>) -> Answer {
        match evaluated {
            Ok(Some(value)) => Answer::Value(value),
            Ok(None) => Answer::Undefined,
            Err(problem) => Answer::Failed(problem),
        }
    }

    pub(super) fn evaluated(self) -> Result<Option<Value>, String> {
        match self {
            Answer::Value(value) => Ok(Some(value)),
            Answer::Undefined => Ok(None),
            Answer::Failed(problem) => Err(problem),
        }
    }
}
