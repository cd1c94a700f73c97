//! Who serves a brain. On PostgreSQL any number of processes do; on SQLite one, which holds a lock that the kernel takes from
//! it however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use store::Location;

use crate::app::error::Error;

/// The right to serve a brain, for as long as it is held.
#[derive(Debug)]
pub struct Serving {
    _lock: Option<File>,
}

impl Serving {
    /// Says who serves the brain already, if somebody does.
    pub fn begin(database: &Location) -> Result<Serving, Error> {
        match database {
            Location::Postgres(_) => Ok(Serving { _lock: None }),
            Location::Sqlite(path) => lock(path).map(|file| Serving { _lock: Some(file) }),
        }
    }
}

/// Locks a file beside the database, in which the holder writes who it is.
fn lock(database: &Path) -> Result<File, Error> {
    let path = lock_file(database)?;
    let failed = |source| Error::Write { path: path.clone(), source };
    // What is in it belongs to the holder, so it is opened as it is.
    let mut file =
        OpenOptions::new().create(true).read(true).write(true).truncate(false).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(Error::Served { pid: holder(&mut file) }),
        Err(TryLockError::Error(source)) => return Err(failed(source)),
    }
    file.set_len(0).map_err(failed)?;
    file.write_all(format!("{}\n", std::process::id()).as_bytes()).map_err(failed)?;
    Ok(file)
}

/// The same one by whichever path the database was named.
fn lock_file(database: &Path) -> Result<PathBuf, Error> {
    let database =
        database.canonicalize().map_err(|source| Error::Read { path: database.to_owned(), source })?;
    let mut name = database.into_os_string();
    name.push(".serve");
    Ok(name.into())
}

/// It may not have written it yet.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brain_on_sqlite_is_served_by_one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("brain.db");
        std::fs::write(&path, "").unwrap();
        let database = Location::Sqlite(path);
        let first = Serving::begin(&database).unwrap();
        let second = Serving::begin(&database).unwrap_err();
        let pid = std::process::id();
        assert!(matches!(second, Error::Served { pid: Some(holder) } if holder == pid), "{second:?}");
        assert_eq!(
            second.to_string(),
            format!("another `selfmade serve` (process {pid}) carries out the runs of this brain already")
        );
        drop(first);
        Serving::begin(&database).unwrap();
    }

    #[test]
    fn a_database_is_the_same_by_another_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("brain.db");
        std::fs::write(&path, "").unwrap();
        std::fs::create_dir(folder.path().join("below")).unwrap();
        let _first = Serving::begin(&Location::Sqlite(path)).unwrap();
        let again = Location::Sqlite(folder.path().join("below/../brain.db"));
        assert!(matches!(Serving::begin(&again), Err(Error::Served { .. })));
    }

    #[test]
    fn a_brain_on_postgresql_is_served_by_any_number() {
        let database = Location::Postgres("postgres://h/db".to_owned());
        let (_first, _second) = (Serving::begin(&database).unwrap(), Serving::begin(&database).unwrap());
    }
}
