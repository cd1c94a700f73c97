//! How a run of a Graph ended.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::happened::ExecutionId;
use crate::phrase::cut;

/// So many failures are named; more are only counted.
pub const MAX_FAILURES: usize = 100;

/// The one true end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub state: EndState,
    /// What failed and was not caught by a link from `error`, in order, up to [`MAX_FAILURES`].
    pub failures: Vec<Failure>,
    /// How many failed in all.
    pub failed: usize,
    /// Whether the budget was used up before the end.
    pub out_of_budget: Option<u64>,
    /// Nodes that never ran, and what they waited for. That is no failure: a condition has one output that nobody sees.
    pub never_ran: Vec<NeverRan>,
    /// Values that waited for others in vain, of nodes that did run.
    pub unused: Vec<Unused>,
    /// How many node executions there were.
    pub executions: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndState {
    Succeeded,
    Failed,
    Cancelled,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub execution: ExecutionId,
    /// The id of the node.
    pub node: String,
    /// The pin, if a value on it was at fault.
    pub pin: Option<String>,
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeverRan {
    pub node: String,
    /// The linked pins that got no value.
    pub missing: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unused {
    pub node: String,
    pub pin: String,
    pub values: usize,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pin {
            Some(pin) => {
                write!(f, "node `{}`, pin `{}`: {}", cut(&self.node, 60), cut(pin, 60), self.message)
            }
            None => write!(f, "node `{}`: {}", cut(&self.node, 60), self.message),
        }
    }
}

/// In a sentence, which is the error of a run that failed.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 5;
        let mut parts: Vec<String> = self.failures.iter().take(SHOWN).map(ToString::to_string).collect();
        if self.failed > parts.len() {
            parts.push(format!("{} more executions failed", self.failed - parts.len()));
        }
        if let Some(budget) = self.out_of_budget {
            parts.push(format!(
                "the budget of {budget} node executions was used up; raise `budget` or end the cycle"
            ));
        }
        match self.state {
            EndState::Succeeded => write!(f, "succeeded after {} node executions", self.executions),
            EndState::Cancelled => write!(f, "cancelled after {} node executions", self.executions),
            EndState::Failed => f.write_str(&parts.join("; ")),
        }
    }
}
