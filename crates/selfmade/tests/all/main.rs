//! The program as a person or a script meets it: what comes on standard output and standard error, the exit code, and
//! what is in the brain afterwards. One module a noun.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the program is started here, and what cannot be set up fails the test"
)]

mod attention;
mod autogpt;
mod babyagi;
mod babyagi_quirks;
mod background;
mod backups;
mod bad_input;
mod block_classes;
mod changes;
mod command;
mod composite;
mod databases;
mod demo;
mod folder;
mod functions;
mod graph_files;
mod graph_limits;
mod graphs;
mod guessing;
mod help;
mod homes;
mod host_verbs;
mod insights;
mod key_order;
mod killing;
mod models;
mod operating;
mod packs;
mod planting;
mod postgres;
mod projects;
mod promoting;
mod readme;
mod real_packs;
mod remote;
mod roles;
mod run;
mod run_code;
mod runs;
mod schedules;
mod sealing;
mod search;
mod secrets;
mod serving;
mod sessions;
mod soak;
mod status;
mod sync;
mod testing;
mod tokens;
mod triggers;
mod warming;
mod weaker;
mod world;
