//! Opens the database file for writing, or says why it is not ours to open.
//!
//! Nothing is written before the file is known to be empty or ours.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{ErrorCode, OpenFlags};

use super::fault::Fault;
use super::migrate;
use super::session::Session;
use crate::Error;
use crate::db::Migration;
use crate::db::migration::newest;

/// Marks a file as ours, in the header field SQLite keeps for that: "self" in ASCII.
pub(super) const APPLICATION_ID: i64 = 0x7365_6c66;

/// How long a writer waits for the writers of other processes. They hold the lock for one group of batches; a busy disk
/// makes that seconds at worst.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Keeps the write-ahead log from staying as large as the largest burst made it.
const LOG_SIZE_LIMIT: i64 = 64 * 1024 * 1024;

/// The pages the writer may keep, in KiB below zero: a large changeset touches a page for each of its keys, and with less
/// room than that SQLite writes the same page again and again before it commits. Taken only as it is needed.
const CACHE: &str = "pragma cache_size = -65536";

/// What the header says, read in one transaction.
pub(super) struct Header {
    application: i64,
    pub(super) schema: u32,
    empty: bool,
}

pub(super) fn open(path: &Path, migrations: &[Migration]) -> Result<Session, Error> {
    create_if_missing(path)?;
    let session = Session::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, BUSY_TIMEOUT)?;
    inspect(&session, migrations)?;
    prepare(&session).map_err(|fault| fault.to_error(path))?;
    migrate::migrate(&session, migrations)?;
    session.run("pragma foreign_keys = on").map_err(|fault| fault.to_error(path))?;
    Ok(session)
}

fn create_if_missing(path: &Path) -> Result<(), Error> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(Error::Folder { path: path.to_owned() }),
        Ok(found) if found.len() == 0 => refuse_orphaned_log(path),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(path),
        Err(source) => Err(Error::CannotOpen { path: path.to_owned(), source }),
    }
}

/// The file holds secrets' ciphertext and everything that ran, so only its owner may read it. SQLite gives the log
/// files beside it the same mode.
pub(super) fn create(path: &Path) -> Result<(), Error> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        // Another process was quicker.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(source) => Err(Error::CannotOpen { path: path.to_owned(), source }),
    }
}

/// SQLite would delete a log that lies beside an empty file. It holds the newest writes of a database whose file was
/// lost, so it is better kept for whoever restores the file.
fn refuse_orphaned_log(path: &Path) -> Result<(), Error> {
    if !has_log(path) {
        return Ok(());
    }
    let detail = "it is empty, but its write-ahead log is not".to_owned();
    Err(Error::Damaged { path: path.to_owned(), detail })
}

/// SQLite overlooks a last page that is only partly there. Pages that are still in the log may rightly be missing from
/// the file.
fn refuse_cut_short(session: &Session) -> Result<(), Error> {
    let path = &session.path;
    let sql = "select page_count * page_size from pragma_page_count, pragma_page_size";
    let expected: u64 = (session.connection)
        .query_row(sql, [], |row| row.get::<_, i64>(0))
        .map(i64::unsigned_abs)
        .map_err(|error| Fault::of("open")(error).to_error(path))?;
    let found = fs::metadata(path).map_err(|source| Error::CannotOpen { path: path.clone(), source })?.len();
    if found >= expected || has_log(path) {
        return Ok(());
    }
    let detail = format!("it has {found} of its {expected} bytes");
    Err(Error::Damaged { path: path.clone(), detail })
}

fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    fs::metadata(&log).is_ok_and(|found| found.len() > 0)
}

fn inspect(session: &Session, migrations: &[Migration]) -> Result<(), Error> {
    let path = &session.path;
    // While it is not known to be ours, closing the connection must not fold a log into the file.
    keep_log_on_close(session, true).map_err(|fault| fault.to_error(path))?;
    let header = session.header().map_err(|fault| match fault {
        fault if fault.is(ErrorCode::NotADatabase) => Error::NotADatabase { path: path.clone() },
        fault => fault.to_error(path),
    })?;
    header.accept(path, migrations)?;
    refuse_cut_short(session)?;
    let read_only =
        session.connection.is_readonly("main").map_err(|error| Fault::of("open")(error).to_error(path))?;
    if read_only {
        return Err(Error::ReadOnly { database: path.display().to_string() });
    }
    keep_log_on_close(session, false).map_err(|fault| fault.to_error(path))
}

fn keep_log_on_close(session: &Session, keep: bool) -> Result<(), Fault> {
    let set = session.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep);
    set.map(drop).map_err(Fault::of("open"))
}

impl Session {
    pub(super) fn header(&self) -> Result<Header, Fault> {
        let sql = "select application_id, user_version, (select count(*) from sqlite_schema) = 0
                   from pragma_application_id, pragma_user_version";
        self.connection
            .query_row(sql, [], |row| {
                // A version below zero is nothing we wrote; as the largest one it is refused like any other.
                let schema = u32::try_from(row.get::<_, i64>(1)?).unwrap_or(u32::MAX);
                Ok(Header { application: row.get(0)?, schema, empty: row.get(2)? })
            })
            .map_err(Fault::of("open"))
    }
}

impl Header {
    pub(super) fn accept(&self, path: &Path, migrations: &[Migration]) -> Result<(), Error> {
        let database = path.display().to_string();
        let fresh = self.application == 0 && self.schema == 0 && self.empty;
        if !fresh && self.application != APPLICATION_ID {
            return Err(Error::Foreign { database });
        }
        let known = newest(migrations);
        if self.schema > known {
            return Err(Error::Newer { database, found: self.schema, known });
        }
        Ok(())
    }
}

fn prepare(session: &Session) -> Result<(), Fault> {
    // Counts for a file that has no page yet; others keep what they were made with until they are rewritten.
    session.run("pragma auto_vacuum = incremental")?;
    switch_to_log(session)?;
    session
        .connection
        .pragma_update(None, "journal_size_limit", LOG_SIZE_LIMIT)
        .map_err(Fault::of("open"))?;
    session.run(CACHE)?;
    // What is forgotten is overwritten, also in pages that are free then. It costs nothing where little is deleted; deleting
    // values of many pages writes those pages again.
    session.run("pragma secure_delete = on")?;
    session.run("pragma synchronous = full").map(drop)
}

/// Two processes that switch a fresh file at once can lock each other out, and SQLite then gives up without waiting.
/// Whoever is refused waits in the ordinary way, and for no longer than that, until it had the file for itself once.
fn switch_to_log(session: &Session) -> Result<(), Fault> {
    loop {
        match session.run("pragma journal_mode = wal") {
            Err(fault) if fault.is(ErrorCode::DatabaseBusy) => {
                session.run("begin exclusive")?;
                session.run("rollback")?;
            }
            other => return other.map(drop),
        }
    }
}

/// SQLite only says that it could not; the operating system knows why.
pub(super) fn cannot_open(path: &Path, detail: &str) -> Error {
    let reason = OpenOptions::new().read(true).write(true).open(path).err();
    let source = reason.unwrap_or_else(|| io::Error::other(detail.to_owned()));
    Error::CannotOpen { path: path.to_owned(), source }
}
