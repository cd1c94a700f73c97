//! Stores what the model decides, on SQLite or PostgreSQL. The only SQL of the product is in this crate.
//!
//! One concrete [`Store`] holds one concrete database. A method is a name, a statement and a row; what must happen together
//! is one guarded batch. Nothing here decides: a batch whose guard fails is refused, and the caller computes it again.

// They panic when the output cannot be written.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod changes;
mod db;
mod error;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

mod backup;
mod brain;
mod budgets;
mod events;
mod models;
mod nodes;
mod outage;
mod runs;
mod space;
mod storage;
mod store;

mod access;
pub mod babyagi;

pub use self::backup::Copied;
pub use self::budgets::reservations::Reservation;
pub use self::changes::{ChangedRuns, Changes, Topic};
pub use self::db::{Durability, Location};
pub use self::error::Error;
pub use self::nodes::Node;
pub use self::outage::Outage;
pub use self::space::Space;
pub use self::storage::StorageChange;
pub use self::store::Store;
pub use crate::access::secrets::{SealedSecret, SecretChange, SecretsStamp};
pub use crate::brain::Heads;
pub use crate::brain::application::Application;
pub use crate::brain::changesets::{ChangesetFilter, ChangesetSummary};
pub use crate::brain::entries::{EntryPage, EntrySummary};
pub use crate::brain::graph_pins::GraphPin;
pub use crate::brain::live::{LiveEntry, LiveSince};
pub use crate::brain::presets::PresetFilter;
pub use crate::brain::snapshot::{PastMove, Question, Snapshot};
pub use crate::events::deliveries::Delivered;
pub use crate::events::failures::FailureCount;
pub use crate::events::ticks::{Count, Tick};
pub use crate::events::triggers::{FiredOn, Firing, Firings, WithdrawnRun};
pub use crate::runs::activity::{Activity, OpenRuns};
pub use crate::runs::durations::RunDuration;
pub use crate::runs::egress::MOST_REQUESTS;
pub use crate::runs::ending::Finished;
pub use crate::runs::graph_journal::{GraphEntry, GraphTurn};
pub use crate::runs::insights::{Durations, ErrorCount, Insights};
pub use crate::runs::leases::Held;
pub use crate::runs::lists::RunFilter;
pub use crate::runs::pruning::{Prune, Pruned};
pub use crate::runs::starting::Started;
