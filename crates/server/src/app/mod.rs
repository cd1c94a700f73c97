//! The verbs: everything that can be done with a brain, through any door.
//!
//! A verb takes the context, who acts, and a request; it is one transaction. What an agent may do is what this folder
//! offers.

pub(crate) mod autogpt;
pub mod changesets;
pub(crate) mod events;
pub(crate) mod firings;
pub mod functions;
pub mod functionz;
pub mod graphs;
pub mod insights;
pub(crate) mod meta_tools;
pub mod models;
pub mod packs;
pub mod presets;
pub mod runs;
pub mod schedules;
pub mod secrets;
pub mod sessions;
pub mod tokens;
pub mod triggers;

pub mod babyagi;
pub mod budgets;
pub mod folder;
pub mod operations;
