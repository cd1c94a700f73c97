//! Remembers what `model` describes, on SQLite or on PostgreSQL: the only crate that holds SQL.
//!
//! `db` executes statements and knows nothing of functions or runs; the store's verbs stand on top of it. What may
//! happen to a thing is decided in `model`, who may ask for it in `server`.

#[allow(dead_code, reason = "the verbs that use it are added noun by noun")]
mod db;
mod error;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use db::Location;
pub use error::Error;
