//! Disk space used by the database, and returned after something was removed.
//!
//! SQLite keeps the pages of removed rows in the file. A file that was created with incremental vacuum returns them in
//! slices; an older one must be rewritten once, which only happens on request. PostgreSQL's autovacuum does this by itself.

use crate::error::Error;
use crate::store::Store;

/// A SQLite file, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// All its pages.
    pub total: u64,
    /// Pages that hold nothing.
    pub free: u64,
    /// Whether free pages can be given back slice by slice.
    pub incremental: bool,
}

impl Store {
    /// The room that a SQLite file takes; nothing is known of a PostgreSQL server.
    pub async fn space(&self) -> Result<Option<Space>, Error> {
        if !self.db.is_sqlite() {
            return Ok(None);
        }
        let sql = "select page_count * page_size, freelist_count * page_size, auto_vacuum = 2
            from pragma_page_count, pragma_page_size, pragma_freelist_count, pragma_auto_vacuum";
        let mut found = self
            .db
            .query(sql, [], |row| {
                Ok(Space { total: row.unsigned(0)?, free: row.unsigned(1)?, incremental: row.bool(2)? })
            })
            .await?;
        Ok(found.pop())
    }

    /// Gives free pages back to the disk, up to 1,024 of them, so that nobody who writes waits for long. Call it again while there
    /// are some.
    pub async fn give_back(&self) -> Result<(), Error> {
        self.db.give_back().await
    }

    /// Writes the file again, without free pages, and so that it can give them back from then on. Nobody else can write meanwhile,
    /// and the disk needs room for the copy.
    pub async fn rewrite(&self) -> Result<(), Error> {
        self.db.rewrite().await
    }
}
