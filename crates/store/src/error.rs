//! Everything that can go wrong between the store and its database, worded so that the reader can act on it.
//!
//! A message names the database file or the server, never a password and never a stored value. Messages of the databases are
//! copied into `detail`, because the drivers' errors cannot be shared by the many callers of one group commit.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    // The database file.
    #[error("`{}` is a folder; name a database file inside it", .path.display())]
    Folder { path: PathBuf },
    #[error("cannot open database `{}`; check that its folder exists and that you may read and write both", .path.display())]
    CannotOpen {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{}` is not a SQLite database and was left as it is; choose another path or restore it from a backup", .path.display())]
    NotADatabase { path: PathBuf },
    #[error(
        "database `{database}` belongs to another program and was left as it is; choose another one for selfmade"
    )]
    Foreign { database: String },
    #[error("database `{}` is damaged ({detail}); stop selfmade and restore the file from a backup", .path.display())]
    Damaged { path: PathBuf, detail: String },
    #[error(
        "database `{database}` has schema {found}, but this selfmade supports only up to {known}; use a newer selfmade"
    )]
    Newer { database: String, found: u32, known: u32 },
    #[error("migration `{migration}` failed on database `{database}` and was undone")]
    Migration {
        database: String,
        migration: &'static str,
        #[source]
        source: Box<Error>,
    },

    // The database at work.
    #[error("database `{database}` is read-only, so nothing was written; make it writable and try again")]
    ReadOnly { database: String },
    #[error("no space is left for database `{database}`, so nothing was written; free some and try again")]
    DiskFull { database: String },
    #[error("database `{database}` stayed locked by others, so nothing was written; try again")]
    Busy { database: String },
    #[error("the disk under database `{}` failed ({detail}), so nothing was acknowledged; check the disk", .path.display())]
    DiskFailed { path: PathBuf, detail: String },
    #[error("the brain is on PostgreSQL at {server}, so it is not a file")]
    NoFile { server: String },
    #[error("the store is closed")]
    Closed,

    // The database server.
    #[error("cannot read the PostgreSQL URL ({detail}); write `postgres://user:password@host:port/database`")]
    Url { detail: String },
    #[error("cannot use the certificates of `sslrootcert={}` ({detail}); name a PEM file with the server's authority", .path.display())]
    Certificates { path: PathBuf, detail: String },
    #[error(
        "`sslmode={mode}` needs a certificate authority to trust; add `sslrootcert=FILE` with the PEM certificates of the server's authority"
    )]
    NoCertificates { mode: String },
    #[error("cannot reach PostgreSQL at {server} ({detail}); nothing was read or written")]
    Unreachable { server: String, detail: String },
    #[error(
        "lost the connection to PostgreSQL at {server} ({detail}); what was being written was not acknowledged and may be missing"
    )]
    ConnectionLost { server: String, detail: String },

    // The statement.
    #[error("a row with this key is already in table `{table}` ({detail})")]
    Unique { table: String, detail: String },
    #[error("the row refers to one that does not exist, or is still referred to ({detail})")]
    ForeignKey { detail: String },
    #[error("nothing was written, because this no longer holds: {guard}")]
    GuardFailed { guard: &'static str },
    #[error("no row answers `{sql}`")]
    NoRow { sql: &'static str },
    #[error("column {column} should be {expected} but is {found}")]
    Row { column: usize, expected: &'static str, found: String },
    #[error("column {column} does not hold the expected JSON")]
    Json {
        column: usize,
        #[source]
        source: serde_json::Error,
    },
    #[error("cannot write a value as JSON")]
    Unwritable {
        #[source]
        source: serde_json::Error,
    },
    #[error("`{sql}` failed: {detail}")]
    Statement { sql: &'static str, detail: String },
}

impl Error {
    /// Whether the same may succeed later, because it was the database that could not be used and not the statement that was
    /// wrong. What was being written may have been written all the same.
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            Error::ReadOnly { .. }
                | Error::DiskFull { .. }
                | Error::Busy { .. }
                | Error::DiskFailed { .. }
                | Error::Unreachable { .. }
                | Error::ConnectionLost { .. }
        )
    }

    /// Why the database cannot be used, without a word about where it is.
    pub fn reason(&self) -> &'static str {
        match self {
            Error::DiskFull { .. } => "no space is left for the database",
            Error::ReadOnly { .. } => "the database is read-only",
            Error::Busy { .. } => "the database is locked by others",
            Error::DiskFailed { .. } => "the disk of the database fails",
            Error::Unreachable { .. } => "the database server cannot be reached",
            Error::ConnectionLost { .. } => "the connection to the database server was lost",
            _ => "the database failed",
        }
    }

    /// For verbs whose guard asks whether there is something to remove.
    pub(crate) fn absent(self) -> Result<bool, Error> {
        match self {
            Error::GuardFailed { .. } => Ok(false),
            other => Err(other),
        }
    }
}
