//! Copies a consistent snapshot of a database while others write to it, and checks whether a copy is complete.

use std::path::Path;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use uuid::Uuid;

use super::fault::Fault;
use super::open::BUSY_TIMEOUT;
use super::session::Session;
use crate::db::Migration;
use crate::{Copied, Error};

/// Copies into a file that is not there yet.
pub(crate) fn copy(from: &Path, to: &Path, migrations: &[Migration]) -> Result<Copied, Error> {
    let source = Session::connect(from, OpenFlags::SQLITE_OPEN_READ_ONLY, BUSY_TIMEOUT)?;
    source.header().map_err(|fault| not_ours(fault, from))?.accept(from, migrations)?;
    super::open::create(to)?;
    let tell = |error| Fault::of("backup")(error).to_error(to);
    let mut target = Connection::open_with_flags(to, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(tell)?;
    {
        let backup = Backup::new(&source.connection, &mut target).map_err(tell)?;
        // All pages in one step are of one moment: in between, a change by others would make it begin again.
        while !matches!(backup.step(-1).map_err(tell)?, StepResult::Done) {}
    }
    // One file, which needs no log beside it and can be carried anywhere.
    target.pragma_update(None, "journal_mode", "delete").map_err(tell)?;
    target.close().map_err(|(_, error)| tell(error))?;
    examine(to, migrations)
}

/// What is in a copy; refuses one that is damaged, foreign or of a newer selfmade.
pub(crate) fn examine(path: &Path, migrations: &[Migration]) -> Result<Copied, Error> {
    let session = Session::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, BUSY_TIMEOUT)?;
    session.header().map_err(|fault| not_ours(fault, path))?.accept(path, migrations)?;
    let tell = |error| Fault::of("backup")(error).to_error(path);
    let damaged = |detail: String| Error::Damaged { path: path.to_owned(), detail };
    let check = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
    let found = session.connection.query_row("pragma integrity_check(1)", [], check).map_err(tell)?;
    if found != "ok" {
        return Err(damaged(found));
    }
    let one = |sql: &str| session.connection.query_row(sql, [], check).map_err(tell);
    let revision = one("select cast(value as text) from counters where counter = 'revision'")?;
    let brain_id = one("select coalesce((select value from facts where fact = 'brain_id'), '')")?;
    let bytes =
        std::fs::metadata(path).map_err(|source| Error::CannotOpen { path: path.to_owned(), source })?.len();
    Ok(Copied {
        brain_id: Uuid::parse_str(&brain_id).ok(),
        revision: revision.parse().map_err(|_| damaged(format!("its revision is `{revision}`")))?,
        bytes,
    })
}

fn not_ours(fault: Fault, path: &Path) -> Error {
    match fault {
        fault if fault.is(rusqlite::ErrorCode::NotADatabase) => Error::NotADatabase { path: path.to_owned() },
        fault => fault.to_error(path),
    }
}

/// Folds the log into the file, which only works while nobody else has it open.
pub(crate) fn fold(path: &Path) -> Result<(), Error> {
    let session = Session::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, std::time::Duration::ZERO)?;
    session.run("pragma journal_mode = delete").map(drop).map_err(|fault| fault.to_error(path))
}
