//! Who serves a brain. On PostgreSQL any number of processes do; on SQLite one, which holds a lock that the kernel takes from
//! it however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use model::ids::NodeId;
use store::Location;

use crate::error::Error;

/// The right to serve a brain, for as long as it is held.
#[derive(Debug)]
pub struct Serving {
    /// Who had it when it was killed: what it has left behind need not wait until its leases run out.
    pub predecessor: Option<NodeId>,
    /// Says who has it now.
    node_file: Option<PathBuf>,
    _lock: Option<File>,
}

impl Serving {
    /// Says who serves the brain already, if someone does.
    pub fn begin(database: &Location, node: Option<NodeId>) -> Result<Serving, Error> {
        let Location::Sqlite(path) = database else {
            return Ok(Serving { predecessor: None, node_file: None, _lock: None });
        };
        let lock = Some(lock(path)?);
        let Some(node) = node else { return Ok(Serving { predecessor: None, node_file: None, _lock: lock }) };
        let path = beside(path, ".node")?;
        let predecessor = std::fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok());
        std::fs::write(&path, format!("{}\n", node.0))
            .map_err(|source| Error::Write { path: path.clone(), source })?;
        Ok(Serving { predecessor: predecessor.map(NodeId), node_file: Some(path), _lock: lock })
    }
}

impl Drop for Serving {
    /// Whoever ends in good order leaves nothing behind, and may still be busy with that.
    fn drop(&mut self) {
        if let Some(path) = &self.node_file {
            // If it fails, the next one takes someone for gone who is gone in a moment.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Locks a file beside the database, in which the holder writes who it is.
fn lock(database: &Path) -> Result<File, Error> {
    let path = beside(database, ".serve")?;
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
fn beside(database: &Path, suffix: &str) -> Result<PathBuf, Error> {
    let database =
        database.canonicalize().map_err(|source| Error::Read { path: database.to_owned(), source })?;
    let mut name = database.into_os_string();
    name.push(suffix);
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
        let first = Serving::begin(&database, None).unwrap();
        let second = Serving::begin(&database, None).unwrap_err();
        let pid = std::process::id();
        assert!(matches!(second, Error::Served { pid: Some(holder) } if holder == pid), "{second:?}");
        assert_eq!(
            second.to_string(),
            format!("another `selfmade serve` (process {pid}) is already serving this brain")
        );
        drop(first);
        Serving::begin(&database, None).unwrap();
    }

    #[test]
    fn whoever_serves_after_one_that_was_killed_knows_which_node_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("brain.db");
        std::fs::write(&path, "").unwrap();
        let node = NodeId(uuid::Uuid::from_u128(7));
        let file = beside(&path, ".node").unwrap();
        let begin = || Serving::begin(&Location::Sqlite(path.clone()), Some(node)).unwrap();
        let serving = begin();
        assert_eq!(serving.predecessor, None);
        let written = std::fs::read(&file).unwrap();
        drop(serving);
        assert_eq!(begin().predecessor, None, "it ended in good order");
        std::fs::write(&file, written).unwrap();
        assert_eq!(begin().predecessor, Some(node));
        for torn in ["", "0000-1", "\u{fffd} x"] {
            std::fs::write(&file, torn).unwrap();
            assert_eq!(begin().predecessor, None, "{torn}");
        }
    }

    #[test]
    fn a_database_is_the_same_by_another_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("brain.db");
        std::fs::write(&path, "").unwrap();
        std::fs::create_dir(folder.path().join("below")).unwrap();
        let _first = Serving::begin(&Location::Sqlite(path), None).unwrap();
        let again = Location::Sqlite(folder.path().join("below/../brain.db"));
        assert!(matches!(Serving::begin(&again, None), Err(Error::Served { .. })));
    }

    #[test]
    fn a_brain_on_postgresql_is_served_by_any_number() {
        let database = Location::Postgres("postgres://h/db".to_owned());
        let (_first, _second) =
            (Serving::begin(&database, None).unwrap(), Serving::begin(&database, None).unwrap());
    }
}
