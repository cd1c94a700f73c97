//! The conformance suite: every public method of the store, on SQLite and on PostgreSQL, with the same answers.
//!
//! `coverage` fails when a method is added that no test here calls.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[cfg(not(feature = "testing"))]
compile_error!("these tests need fresh databases: add `--all-features`, as `cargo xtask test` does");

// The name under which every other crate knows it.
extern crate selfmade_store as store;

mod world;

mod activity;
mod application;
mod audit;
mod babyagi;
mod backup;
mod brain;
mod budgets;
mod calls;
mod cancelling;
mod changesets;
mod closures;
mod coverage;
mod deliveries;
mod durations;
mod egress;
mod ending;
mod entries;
mod events;
mod failures;
mod faults;
mod graph_drafts;
mod graph_journal;
mod histories;
mod insights;
mod leases;
mod log_pruning;
mod models;
mod nodes;
mod packs;
mod plans;
mod presets;
mod pruning;
mod queue;
mod references;
mod run_drafts;
mod run_ids;
mod run_lists;
mod run_trees;
mod runs;
mod scopes;
mod secrets;
mod sessions;
mod signals;
mod snapshot;
mod space;
mod starting;
mod steps;
mod storage;
mod ticks;
mod tokens;
mod triggers;
mod versions;
mod waiting;
mod waking;
