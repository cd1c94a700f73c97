//! The tests of `model` from outside.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use selfmade_model::python::SourceError;

/// What a person is told: the refusal, and what to do about it.
fn with_hint(error: &SourceError) -> String {
    let hint = error.hint.iter().map(|hint| format!(" ({hint})"));
    hint.fold(error.to_string(), |text, hint| text + &hint)
}

mod babyagi_packs;
mod binding;
mod block_aliases;
mod checks;
mod documents;
mod drafts;
mod graphs;
mod host_verbs;
mod inputs;
mod python_blocks;
mod python_depth;
mod python_mutants;
mod python_pack;
mod python_properties;
mod python_requirements;
mod python_scope;
mod python_signature;
mod python_source;
mod timetables;
