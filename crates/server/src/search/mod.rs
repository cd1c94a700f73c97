//! The search index: finds entries of the brain by what their names and descriptions say.
//!
//! It is derived data in a folder beside the database. It knows which brain and which revision it shows, because both
//! are written in the same commit as its content; whoever holds the database brings it forward or rebuilds it. What may
//! be shown to whom, and what the entries are, is decided elsewhere.
//!
//! A search goes down the files in this order: `words` cuts the query, `lexicon` counts how often its words occur,
//! `expand` guesses at those that hardly do, `plan` weighs the terms to look up, `rank` looks them up and orders what
//! they hit.

mod document;
mod error;
mod expand;
mod fields;
mod folder;
mod index;
mod indexes;
mod lexicon;
mod meaning;
mod plan;
mod position;
mod rank;
mod words;

#[cfg(test)]
mod tests;

pub use document::{Change, Document, Hit};
pub use error::Error;
pub use index::SearchIndex;
pub use indexes::{IndexSlot, SearchIndexes};
pub use position::Position;
