//! What selfmade's things are and what may happen to them.
//!
//! Every rule of the product is a pure function in this crate: no I/O, no clock, no async. The store remembers what
//! is decided here, the server asks the questions. The words are those of `GLOSSARY.md`.

pub mod ids;
pub mod name;
pub mod revision;
mod schema;

pub mod glob;
pub mod json_size;
pub mod path;
pub mod phrase;
pub mod tagged;

pub mod access;
pub mod actor;
pub mod entry;
pub mod scope;
pub mod verb;

mod bind;
pub mod dependency;
pub mod grantable;
pub mod grants;
pub mod input;
pub mod options;
pub mod python;
pub mod requirement;
pub mod running;
mod shape;
pub mod signature;
pub mod test_case;

pub mod cron;
pub mod function;
pub mod graph;
pub mod schedule;
pub mod ticks;
pub mod timetable;
pub mod trigger;
pub mod turns;

pub mod content;
pub mod pack;
pub mod version;

pub mod application;
pub mod changeset;
pub mod check;
pub mod diff;
pub mod document;
pub mod policy;

pub mod audit;
pub mod bounds;
pub mod call;
pub mod chain;
pub mod closure;
pub mod egress;
pub mod event;
pub mod event_payload;
pub mod insight;
pub mod output;
pub mod question;
pub mod retry;
pub mod run;
pub mod secret;
pub mod session;
pub mod step;
pub mod token;
