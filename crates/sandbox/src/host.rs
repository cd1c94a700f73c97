//! The host: whoever uses the sandbox, as a running job sees it. Jobs ask it for verbs, and it is told what they do while
//! they do it.

use std::pin::Pin;

use indexmap::IndexMap;
use thiserror::Error;

use crate::call::CallRecord;
use crate::value::Value;

pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The arguments of a host verb, as the function wrote them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    pub positional: Vec<Value>,
    pub named: IndexMap<String, Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    Stdout,
    Stderr,
}

/// Why a verb gave no answer; the function sees it as `selfmade.Refused`, `selfmade.Failed` or
/// `selfmade.BudgetExhausted`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HostError {
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Failed(String),
    /// A budget has no room for it.
    #[error("{0}")]
    Exhausted(String),
}

/// All methods but `verb` are told things and must not block; they are called in the order things happened.
pub trait Host: Send + Sync {
    /// Executes a verb. Only verbs granted in the job arrive here. The lane is the thread or task that asks, named in the
    /// same way whenever the same code runs with the same answers; what comes from a cell is a name but may be a lie.
    fn verb(&self, lane: &str, verb: &str, arguments: Arguments) -> BoxFuture<Result<Value, HostError>>;

    fn output(&self, _stream: Stream, _bytes: &[u8]) {}

    fn calls(&self, _calls: Vec<CallRecord>) {}

    /// One value of a generator, as soon as it is there.
    fn yielded(&self, _value: &Value) {}
}

/// A host that knows no verbs and keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn verb(&self, _lane: &str, verb: &str, _arguments: Arguments) -> BoxFuture<Result<Value, HostError>> {
        let error = HostError::Refused(format!("there is no verb `{verb}` here"));
        Box::pin(std::future::ready(Err(error)))
    }
}
