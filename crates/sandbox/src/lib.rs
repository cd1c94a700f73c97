//! Runs untrusted Python in cells: sandboxed processes forked ahead of demand from a warm interpreter, one for each run.
//!
//! [`Sandbox`] is what people hold. A [`Job`] says what to run, with which limits; a [`Host`] answers what the running code
//! asks and hears what it does; an [`Outcome`] says how it ended. The crate knows nothing of runs, databases or doors.
//!
//! From the outside in: `sandbox` → `pool` → `zygote` → `cell`, with `stage1` building what a zygote lives in and `python/`
//! being the program inside.
//!
//! [`expressions`] is apart from that: conditions and templates, evaluated in a process with limits.

pub mod birth;
pub mod call;
mod cell;
mod census;
pub mod config;
pub mod doctor;
pub mod egress;
pub mod ending;
pub mod environment;
pub mod error;
pub mod expressions;
pub mod host;
pub mod job;
mod limits;
mod memory;
mod pool;
pub mod protocol;
mod python;
pub mod sandbox;
pub mod stage1;
mod sys;
pub mod value;
pub mod verbs;
mod zygote;

pub use tokio_util::sync::CancellationToken;

pub use crate::birth::{Birth, Step};
pub use crate::call::{CallError, CallRecord};
#[cfg(feature = "fuzz")]
pub use crate::cell::conversation::{Conversation, converse};
pub use crate::census::Census;
pub use crate::config::Config;
pub use crate::doctor::Layer;
pub use crate::egress::{Egress, EgressPolicy};
pub use crate::ending::{Crash, Ending, Exception, Killer, Limit, Outcome, Usage};
pub use crate::environment::Environment;
pub use crate::error::Error;
pub use crate::expressions::Expressions;
pub use crate::host::{Arguments, BoxFuture, Host, HostError, NoHost, Stream};
pub use crate::job::{Closure, Dialect, Function, Isolation, Job, JobLimits};
pub use crate::memory::memory_bytes;
pub use crate::pool::Refill;
pub use crate::sandbox::Sandbox;
pub use crate::value::Value;
pub use crate::verbs::VerbSignature;
