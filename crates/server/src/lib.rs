//! Doors, then verbs, then memory.
//!
//! Every door — HTTP, through which the command line goes too, triggers and schedules — calls the verbs in [`app`]; each verb checks who
//! acts, decides by the rules of `model`, and is one transaction of `store`.

// They panic when the output cannot be written.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod announcement;
pub mod app;
mod blocking;
pub mod clock;
pub mod config;
pub mod control;
pub mod ctx;
pub mod engine;
pub mod http;
pub mod ids;
mod live_list;
pub mod metrics;
pub mod model_server;
pub mod outgoing;
mod redaction;
mod redactions;
pub mod scheduler;
pub mod seal;
mod sealed_secrets;
pub mod search;
pub mod serving;
pub mod settings;
pub mod traces;
pub mod triggers;

pub use self::app::error::Error;
pub use self::config::Config;
pub use self::ctx::Ctx;
