//! The egress proxy as a cell meets it: over a listener on loopback, with local servers as the world outside.

#![allow(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod cell;
mod echoes;
mod echoes_property;
mod hosts;
mod limits;
mod python;
mod requests;
mod secrets;
pub(crate) mod world;
