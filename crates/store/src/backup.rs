//! Backups of a brain in one file: made while it is in use, and restored. Only a brain on SQLite is a file; PostgreSQL has
//! its own tools, which also cover its other databases and its log.

use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::db::{Location, backup};
use crate::error::Error;
use crate::store::{MIGRATIONS, Store};

/// What a copy holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Absent from a brain that nobody has used yet.
    pub brain_id: Option<Uuid>,
    pub revision: u64,
    pub bytes: u64,
}

impl Store {
    /// Copies a brain, as it is at one moment, into a file that is not there yet, and looks whether the copy is whole. Others
    /// may use the brain meanwhile.
    pub async fn copy_to(from: &Location, to: &Path) -> Result<Copied, Error> {
        let Location::Sqlite(from) = from else {
            return Err(Error::NoFile { server: from.to_string() });
        };
        let (from, to) = (from.clone(), to.to_owned());
        blocking(move || backup::copy(&from, &to, MIGRATIONS)).await
    }

    /// What a copy holds, if it is whole.
    pub async fn examine_copy(path: &Path) -> Result<Copied, Error> {
        let path = path.to_owned();
        blocking(move || backup::examine(&path, MIGRATIONS)).await
    }

    /// Makes one file of a brain that nobody uses; refuses with [`Error::Busy`] if someone does.
    pub async fn fold(path: &Path) -> Result<(), Error> {
        let path: PathBuf = path.to_owned();
        blocking(move || backup::fold(&path)).await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(Error::Closed))
}
