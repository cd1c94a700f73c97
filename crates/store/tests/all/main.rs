//! The conformance suite: every public method of the store, on SQLite and on PostgreSQL, with the same answers.
//!
//! `coverage` fails when a method is added that no test here calls.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[cfg(not(feature = "testing"))]
compile_error!("these tests need fresh databases: add `--all-features`, as `cargo xtask test` does");

// The name under which every other crate knows it.
extern crate selfmade_store as store;

mod world;

mod application;
mod audit;
mod babyagi;
mod brain;
mod calls;
mod changesets;
mod coverage;
mod entries;
mod events;
mod histories;
mod packs;
mod references;
mod runs;
mod secrets;
mod snapshot;
mod steps;
mod tokens;
mod versions;
