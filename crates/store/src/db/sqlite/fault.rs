//! Converts SQLite's errors into those of the store.
//!
//! A fault is kept as it is until it is reported, because one failed commit is reported to every job of its group and the
//! driver's errors cannot be cloned.

use std::path::Path;

use rusqlite::ErrorCode;
use rusqlite::ffi::{SQLITE_CONSTRAINT_FOREIGNKEY, SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE};

use crate::Error;

#[derive(Debug)]
pub(super) enum Fault {
    Sqlite {
        sql: &'static str,
        error: rusqlite::Error,
    },
    /// The values do not fit the statement; it was not run.
    Binding {
        sql: &'static str,
        detail: String,
    },
    Guard {
        what: &'static str,
    },
}

impl Fault {
    pub(super) fn of(sql: &'static str) -> impl FnOnce(rusqlite::Error) -> Fault {
        move |error| Fault::Sqlite { sql, error }
    }

    pub(super) fn is(&self, code: ErrorCode) -> bool {
        matches!(self, Fault::Sqlite { error, .. } if error.sqlite_error_code() == Some(code))
    }

    pub(super) fn to_error(&self, path: &Path) -> Error {
        match self {
            Fault::Sqlite { sql, error } => sqlite_error(path, sql, error),
            Fault::Binding { sql, detail } => Error::Statement { sql, detail: detail.clone() },
            Fault::Guard { what } => Error::GuardFailed { guard: what },
        }
    }
}

fn sqlite_error(path: &Path, sql: &'static str, error: &rusqlite::Error) -> Error {
    let detail = match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    };
    let (database, path) = (path.display().to_string(), path.to_owned());
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => violation(sql, error, detail),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy { database },
        Some(ErrorCode::DiskFull) => Error::DiskFull { database },
        Some(ErrorCode::ReadOnly) => Error::ReadOnly { database },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::Damaged { path, detail },
        Some(ErrorCode::SystemIoFailure) => Error::DiskFailed { path, detail },
        Some(ErrorCode::CannotOpen) => super::open::cannot_open(&path, &detail),
        _ => Error::Statement { sql, detail },
    }
}

fn violation(sql: &'static str, error: &rusqlite::Error, detail: String) -> Error {
    match error.sqlite_error().map(|error| error.extended_code) {
        Some(SQLITE_CONSTRAINT_UNIQUE | SQLITE_CONSTRAINT_PRIMARYKEY) => {
            Error::Unique { table: violated_table(&detail), detail }
        }
        Some(SQLITE_CONSTRAINT_FOREIGNKEY) => Error::ForeignKey { detail },
        _ => Error::Statement { sql, detail },
    }
}

/// SQLite says `UNIQUE constraint failed: runs.state, runs.name`; for an index on an expression it names only the index.
fn violated_table(message: &str) -> String {
    let columns = message.rsplit_once(": ").map_or(message, |(_, columns)| columns);
    columns.split_once('.').map_or(columns, |(table, _)| table).to_owned()
}
