//! Language models over HTTP: one exchange with retries, streamed where the server can, and what a server says of itself. What is sent
//! and what a reply means is decided in `model::llm`.
//!
//! Which model is asked, with which key, and who may is for `app/models`.

mod attempt;
mod config;
mod error;
mod exchange;
mod found;
mod probe;

#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use self::config::ModelConfig;
pub use self::error::ModelError;
pub(crate) use self::exchange::Reach;
pub use self::found::FoundServer;
pub(crate) use self::found::find;
pub(crate) use self::probe::{Probed, probe};
