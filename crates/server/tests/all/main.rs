//! The verbs, on SQLite and on PostgreSQL: what a brain promises, and what BabyAGI's brain got wrong.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

// The name under which every other crate knows it.
extern crate selfmade_server as server;

mod notifications;
mod old_brain;
mod world;

mod arrows;
mod attention;
mod authority;
mod babyagi;
mod babyagi_keys;
mod babyagi_triggers;
mod changesets;
mod concurrency;
mod deletions;
mod dependencies;
mod engine;
mod fitting;
mod folder;
mod functions;
mod http;
mod http_client;
mod migrations;
mod models;
mod noninterference;
mod packs;
mod presets;
mod reverts;
mod run_records;
mod schedules;
mod search;
mod secrets;
mod simulation;
mod tokens;
mod triggers;
mod verbs;
mod versions;
