//! The verbs: everything anybody can do with a brain, whichever door they came through.
//!
//! A verb takes the context, who acts, and what is asked; it is one transaction. What an agent may do is what this
//! folder offers.

pub mod codes;
pub mod error;

mod application;
pub mod backup;
pub mod changesets;
mod checks;
pub mod dependents;
pub mod doctor;
pub mod drafts;
pub mod functions;
pub mod functionz;
pub mod insights;
pub mod names;
pub mod outage;
pub mod packs;
mod policy;
pub mod replay;
pub mod retention;
pub mod run_ids;
pub mod run_lists;
pub mod run_news;
pub mod run_records;
pub mod runs;
pub mod schedules;
pub mod search;
pub mod secrets;
pub mod sessions;
pub mod signatures;
mod sources;
mod starts;
pub mod tests;
pub mod tokens;
pub(crate) mod trials;
pub mod triggers;
pub mod warming;
pub mod webhooks;

pub mod babyagi;
mod babyagi_history;
mod babyagi_logs;
pub mod folder;
