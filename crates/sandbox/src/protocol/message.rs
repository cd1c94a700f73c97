//! The messages, as both sides write them.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::job::Dialect;
use crate::protocol::calls::Calls;
use crate::value::Value;

/// What a cell is told.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToCell<'a> {
    Job(JobFrame<'a>),
    Compile(CompileFrame<'a>),
    Answer(Answer),
}

#[derive(Debug, Serialize)]
pub(crate) struct JobFrame<'a> {
    /// Absent if the cell has loaded them for an earlier job of the same key.
    pub(crate) functions: Option<Vec<FunctionFrame<'a>>>,
    pub(crate) entry: usize,
    pub(crate) input: &'a Value,
    pub(crate) secrets: &'a BTreeMap<String, String>,
    pub(crate) verbs: &'a [String],
    pub(crate) variables: BTreeMap<&'static str, String>,
    /// Resource limits by their name in Python's `resource` module.
    pub(crate) limits: BTreeMap<&'static str, u64>,
    /// Whether the cell may get another job of this kind.
    pub(crate) is_warm: bool,
    /// Whether the functions are loaded for this job alone.
    pub(crate) anew: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct FunctionFrame<'a> {
    pub(crate) name: &'a str,
    pub(crate) file: &'a str,
    pub(crate) source: &'a str,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) lines_above: u32,
    /// What the source compiles to, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<&'a str>,
    pub(crate) dialect: Dialect,
    pub(crate) dependencies: &'a BTreeMap<String, usize>,
    pub(crate) imports: &'a [String],
    pub(crate) secrets: &'a [String],
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field by reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A source whose code is wanted, and nothing else.
#[derive(Debug, Serialize)]
pub(crate) struct CompileFrame<'a> {
    pub(crate) file: &'a str,
    pub(crate) source: &'a str,
    pub(crate) limits: BTreeMap<&'static str, u64>,
}

/// What happened to a host verb.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    pub(crate) number: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exhausted: Option<String>,
}

/// A step of making a cell, its nanoseconds by the clock on the wall and those of processor time.
pub(crate) type TimedStep = (String, u64, u64);

/// What a cell says.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FromCell {
    /// How long each step of making it took, if it was asked to clock them.
    Ready(Vec<TimedStep>),
    Unready(String),
    /// The code of what it was told to compile, if there is any.
    Compiled(Option<String>),
    Calls(Calls),
    Verb {
        number: u64,
        /// Which thread or task of the function asks.
        lane: String,
        verb: String,
        positional: Vec<Value>,
        named: IndexMap<String, Value>,
    },
    Yield(Value),
    /// Where the code stood when it was asked, just before it is killed.
    Where(String),
    End(End),
}

/// Exactly one of `returned`, `yielded` and `raised` must be there; `null` is a value that can be returned.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct End {
    #[serde(default, deserialize_with = "present")]
    pub(crate) returned: Option<Value>,
    #[serde(default)]
    pub(crate) yielded: bool,
    #[serde(default)]
    pub(crate) raised: Option<Raised>,
    pub(crate) dropped_calls: u64,
    pub(crate) reusable: bool,
    /// The most memory it had resident, and the processor time of children it waited for, as it says itself.
    pub(crate) peak_bytes: u64,
    pub(crate) children_cpu_us: u64,
}

fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Raised {
    #[serde(rename = "type")]
    pub(crate) type_name: String,
    pub(crate) message: String,
    pub(crate) traceback: String,
    pub(crate) cause: Option<Box<Raised>>,
    /// The host that it wanted and did not find.
    #[serde(default)]
    pub(crate) host: Option<String>,
    #[serde(default)]
    pub(crate) value: Option<Value>,
}
