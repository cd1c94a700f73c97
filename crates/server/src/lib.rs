//! Doors, then verbs, then memory.
//!
//! Every door — HTTP, through which the command line goes too, triggers and schedules — calls the verbs in [`app`]; each verb checks who
//! acts, decides by the rules of `model`, and is one transaction of `store`.

// They panic when the output cannot be written.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod app;
mod blocking;
pub mod clock;
pub mod config;
pub mod ctx;
pub mod engine;
pub mod error;
pub(crate) mod host_verbs;
pub mod http;
pub mod http_client;
pub mod ids;
mod live;
pub mod llm;
pub mod metrics;
mod prepare;
pub mod scheduler;
pub mod search;
pub mod secrets;
pub mod serve;
pub mod serving;
pub mod settings;
pub(crate) mod signals;
pub mod traces;
pub mod triggers;

pub use self::config::Config;
pub use self::ctx::Ctx;
pub use self::serve::serve;
pub use crate::error::Error;
