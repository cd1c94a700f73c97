//! Remembers what the model decides, on SQLite or PostgreSQL. The only SQL of the product is in this crate.
//!
//! One concrete [`Store`] holds one concrete database. A method is a name, a statement and a row; what must happen
//! together is one guarded batch. Nothing here decides: a batch that no longer holds is refused, and the caller
//! works it out again.

mod db;
mod error;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

mod audit;
mod brain;
mod calls;
mod changesets;
mod entries;
mod events;
mod packs;
mod references;
mod runs;
mod secrets;
mod snapshot;
mod steps;
mod store;
mod tokens;
mod versions;

mod application;
pub mod babyagi;

pub use self::application::Application;
pub use self::changesets::{ChangesetFilter, ChangesetSummary};
pub use self::db::Location;
pub use self::entries::{EntryPage, EntrySummary};
pub use self::error::Error;
pub use self::runs::RunFilter;
pub use self::secrets::SealedSecret;
pub use self::snapshot::{PastMove, Question, Snapshot};
pub use self::store::Store;
