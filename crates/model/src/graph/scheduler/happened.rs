//! What happens to a run of a Graph, and what is to be done then.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::outcome::Outcome;
use super::plan::{LinkIndex, NodeIndex};
use crate::graph::Values;

/// One execution of a node. They are numbered from 1, and end in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ExecutionId {
    pub node: NodeIndex,
    pub number: u32,
}

/// Journaled in order and applied in this order, these make the same state again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Happened {
    /// A value left. `index` counts the outputs of the execution from 0: one that is applied already is passed over, so
    /// an execution may be repeated after a crash.
    Emitted {
        execution: ExecutionId,
        index: u32,
        pin: String,
        #[serde(with = "arc_value")]
        value: Arc<Value>,
    },
    Finished {
        execution: ExecutionId,
    },
    /// In words, with the type of what was raised: `ValueError: no such user`.
    Failed {
        execution: ExecutionId,
        error: String,
    },
    /// The whole run is to end.
    Cancelled,
    /// From now on it stops here, and nowhere else.
    Breakpoints(Breakpoints),
    /// An execution that was held goes on, perhaps with another input.
    Released {
        execution: ExecutionId,
        #[serde(default, with = "option_values")]
        input: Option<Values>,
    },
    /// The oldest value that is held on a link goes on, perhaps changed.
    LinkReleased {
        link: LinkIndex,
        #[serde(default, with = "option_arc_value")]
        value: Option<Arc<Value>>,
    },
    /// A run that failed goes on: what failed is executed again with the input it had.
    Resumed,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Breakpoints {
    /// At every node: to go step by step.
    pub everywhere: bool,
    pub nodes: BTreeSet<NodeIndex>,
    pub links: BTreeSet<LinkIndex>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Execute {
        execution: ExecutionId,
        input: Values,
    },
    /// Stop executing it, because the run is over; whatever it still does is ignored.
    Cancel {
        execution: ExecutionId,
    },
    /// It failed by a value that does not fit: its input, so that it was never started, or one of its outputs, so that it
    /// is to be stopped. Whatever it still does is ignored.
    Reject {
        execution: ExecutionId,
        pin: String,
        message: String,
    },
    /// The graph gives a value.
    Output {
        name: String,
        value: Arc<Value>,
    },
    /// It waits at a breakpoint, until it is [`Happened::Released`].
    Hold {
        execution: ExecutionId,
        input: Values,
    },
    /// A value waits at a breakpoint, until it is [`Happened::LinkReleased`].
    HoldValue {
        link: LinkIndex,
        value: Arc<Value>,
    },
    /// The run is over. Only one that is resumed has this again.
    Finish(Outcome),
}

/// What cannot have happened: the journal is of another graph, or has a gap.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Impossible {
    #[error("execution {number} of node `{node}` was never started")]
    NeverStarted { node: String, number: u32 },
    #[error("output {index} of execution {number} of node `{node}` came before output {expected}")]
    OutputGap { node: String, number: u32, index: u32, expected: u32 },
    #[error("execution {number} of node `{node}` is not held")]
    NotHeld { node: String, number: u32 },
    #[error("no value is held on link {0}")]
    NoValueHeld(u32),
    #[error("the graph has no node {0}")]
    NoNode(u32),
}

mod arc_value {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    pub(super) fn serialize<S: Serializer>(value: &Arc<Value>, serializer: S) -> Result<S::Ok, S::Error> {
        Value::serialize(value, serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Value>, D::Error> {
        Value::deserialize(deserializer).map(Arc::new)
    }
}

/// Null is a value too, so one that is there is in a list.
mod option_arc_value {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    pub(super) fn serialize<S: Serializer>(
        value: &Option<Arc<Value>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.iter().map(|value| &**value).collect::<Vec<&Value>>().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Arc<Value>>, D::Error> {
        Vec::<Value>::deserialize(deserializer).map(|mut values| values.pop().map(Arc::new))
    }
}

mod option_values {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    use crate::graph::Values;

    pub(super) fn serialize<S: Serializer>(
        values: &Option<Values>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let plain = values.as_ref().map(|values| {
            values.iter().map(|(pin, value)| (pin.as_str(), &**value)).collect::<BTreeMap<&str, &Value>>()
        });
        plain.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Values>, D::Error> {
        let plain = Option::<BTreeMap<String, Value>>::deserialize(deserializer)?;
        Ok(plain.map(|plain| plain.into_iter().map(|(pin, value)| (pin, Arc::new(value))).collect()))
    }
}
