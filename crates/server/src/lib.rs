//! Doors, then verbs, then memory.
//!
//! Every door — the command line now, HTTP and MCP when they exist — calls the verbs in [`app`]; each verb checks who
//! acts, decides by the rules of `model`, and is one transaction of `store`.

pub mod app;
mod blocking;
pub mod clock;
pub mod config;
pub mod ctx;
pub mod engine;
pub mod http;
pub mod ids;
mod redaction;
mod redactions;
pub mod scheduler;
pub mod seal;
pub mod search;
pub mod serving;
pub mod triggers;

pub use self::app::error::Error;
pub use self::config::Config;
pub use self::ctx::Ctx;
