//! Remembers what the model decides, on SQLite or PostgreSQL. The only SQL of the product is in this crate.
//!
//! One concrete [`Store`] holds one concrete database. A method is a name, a statement and a row; what must happen
//! together is one guarded batch. Nothing here decides: a batch that no longer holds is refused, and the caller
//! works it out again.

// They panic when the output cannot be written.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod db;
mod error;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

mod activity;
mod audit;
mod backup;
mod brain;
mod call_chunk;
mod calls;
mod cancelling;
mod changesets;
mod closures;
mod deliveries;
mod egress;
mod ending;
mod entries;
mod events;
mod id_times;
mod insights;
mod leases;
mod log_pruning;
mod nodes;
mod outage;
mod output;
mod packs;
mod pruning;
mod queue;
mod references;
mod run_ids;
mod run_lists;
mod run_trees;
mod runs;
mod scope;
mod secrets;
mod sessions;
mod snapshot;
mod space;
mod starting;
mod steps;
mod store;
mod ticks;
mod tokens;
mod triggers;
mod versions;
mod waiting;

mod application;
pub mod babyagi;

pub use self::activity::{Activity, OpenRuns};
pub use self::application::Application;
pub use self::backup::Copied;
pub use self::changesets::{ChangesetFilter, ChangesetSummary};
pub use self::db::{Durability, Location};
pub use self::deliveries::Delivered;
pub use self::egress::MOST_REQUESTS;
pub use self::ending::Finished;
pub use self::entries::{EntryPage, EntrySummary};
pub use self::error::Error;
pub use self::insights::{Durations, ErrorCount, Insights};
pub use self::leases::Held;
pub use self::nodes::Node;
pub use self::outage::Outage;
pub use self::pruning::{Prune, Pruned};
pub use self::run_lists::RunFilter;
pub use self::secrets::{SealedSecret, SecretChange, SecretsStamp};
pub use self::snapshot::{PastMove, Question, Snapshot};
pub use self::space::Space;
pub use self::starting::Started;
pub use self::store::Store;
pub use self::ticks::{Count, Tick};
pub use self::triggers::{FiredOn, Firing, Firings, TakenBack};
