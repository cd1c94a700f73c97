//! The store itself: one database, opened once, shared by cheap clones.

use crate::closures::RecordedClosures;
use crate::db::{Db, Location, Migration};
use crate::error::Error;

/// Applied in order; each has the same file name in both folders.
const MIGRATIONS: &[Migration] = &[
    Migration {
        name: "0001_brain",
        sqlite: include_str!("../migrations/sqlite/0001_brain.sql"),
        postgres: include_str!("../migrations/postgres/0001_brain.sql"),
    },
    Migration {
        name: "0002_access",
        sqlite: include_str!("../migrations/sqlite/0002_access.sql"),
        postgres: include_str!("../migrations/postgres/0002_access.sql"),
    },
    Migration {
        name: "0003_runs",
        sqlite: include_str!("../migrations/sqlite/0003_runs.sql"),
        postgres: include_str!("../migrations/postgres/0003_runs.sql"),
    },
    Migration {
        name: "0004_engine",
        sqlite: include_str!("../migrations/sqlite/0004_engine.sql"),
        postgres: include_str!("../migrations/postgres/0004_engine.sql"),
    },
];

#[derive(Clone)]
pub struct Store {
    pub(crate) db: Db,
    pub(crate) closures: RecordedClosures,
}

impl Store {
    /// Opens the database, creating it where there is none, and brings its schema up to date.
    pub async fn open(location: &Location) -> Result<Store, Error> {
        Ok(Store { db: Db::open(location, MIGRATIONS).await?, closures: RecordedClosures::default() })
    }

    /// Waits for what is being written and lets go of the database.
    pub async fn close(self) {
        self.db.close().await;
    }
}
