//! What selfmade's things are and what may happen to them.
//!
//! Every rule of the product is a pure function in this crate: no I/O, no clock, no async. The store remembers what
//! is decided here, the server asks the questions. The words are those of `GLOSSARY.md`.

pub mod ids;
pub mod name;
pub mod revision;

pub mod phrase;

pub mod access;
pub mod entry;

pub mod input;
pub mod meta_tools;
pub mod python;

pub mod function;
pub mod graph;
pub mod preset;
pub mod schedule;
pub mod trigger;

pub mod content;
pub mod pack;
pub mod version;

pub mod budget;
pub mod changeset;

pub mod event;
pub mod llm;
pub mod run;
pub mod storage;

pub mod sync;
