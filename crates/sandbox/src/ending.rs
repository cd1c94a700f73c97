//! How a job ended: data, whose kinds are never mixed up, each from its own cause.

use crate::protocol::{End, Raised};
use crate::value::Value;

/// What `Sandbox::run` gives back.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub ending: Ending,
    pub usage: Usage,
    /// Bytes of output that were read and thrown away, being over the limit.
    pub output_dropped_bytes: u64,
    /// Calls that were made and not recorded, being over the limit.
    pub calls_dropped: u64,
}

impl Outcome {
    /// Of a job that was cancelled before it had a cell.
    pub(crate) fn cancelled() -> Outcome {
        let ending = Ending::Killed { by: Killer::Cancel };
        Outcome { ending, usage: Usage::default(), output_dropped_bytes: 0, calls_dropped: 0 }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// What the function returned; the list of what it yielded if it is a generator.
    Returned(Value),
    Raised(Exception),
    /// It used up its time, and stood there when it was killed, if it could still say so.
    TimedOut {
        limit: Limit,
        stood_at: Option<String>,
    },
    /// Its memory reached the limit, or Python raised `MemoryError` and nobody caught it.
    OutOfMemory,
    Killed {
        by: Killer,
    },
    /// The process ended without an answer.
    Crashed {
        how: Crash,
    },
    /// It said what no cell says.
    BrokeProtocol {
        why: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Wall,
    Cpu,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Killer {
    /// Whoever started the job.
    Cancel,
    /// More processes and threads than allowed were seen from outside.
    ProcessLimit,
    /// Someone else on this machine, or the end of its zygote.
    Outside,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    Signal(i32),
    Exit(i32),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Exception {
    /// `ValueError`, or `package.module.Error` if it is not built in.
    pub type_name: String,
    pub message: String,
    /// As Python prints it, with the lines of the functions' own sources and without ours.
    pub traceback: String,
    pub cause: Option<Box<Exception>>,
    /// The host that it could not reach, as the cell says.
    pub host: Option<String>,
    /// The description of a result that could not leave the cell.
    pub value: Option<Value>,
}

/// What a job used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub wall_us: u64,
    pub cpu_us: u64,
    /// The most memory seen resident, counting pages it shared with its zygote.
    pub peak_memory_bytes: u64,
}

impl Exception {
    fn from_cell(raised: Raised) -> Exception {
        Exception {
            type_name: raised.type_name,
            message: raised.message,
            traceback: raised.traceback,
            cause: raised.cause.map(|cause| Box::new(Exception::from_cell(*cause))),
            host: raised.host,
            value: raised.value,
        }
    }
}

impl Ending {
    /// Of what the cell said last; `yielded` is what it streamed before.
    pub(crate) fn from_cell(end: End, yielded: Vec<Value>) -> Ending {
        match (end.returned, end.yielded, end.raised) {
            (Some(value), false, None) => Ending::Returned(value),
            (None, true, None) => Ending::Returned(Value::List(yielded)),
            (None, false, Some(raised)) if raised.type_name == "MemoryError" => Ending::OutOfMemory,
            (None, false, Some(raised)) => Ending::Raised(Exception::from_cell(raised)),
            _ => Ending::BrokeProtocol { why: "it ended in two ways at once, or in none".to_owned() },
        }
    }
}
