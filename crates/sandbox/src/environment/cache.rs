//! The cache folder: what lies where, and who holds what. Several processes may use one folder; a name is held with a lock on a
//! file, which the kernel lets go when the holder dies. Lock files stay, because removing one would part its holders.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::environment::error::Error;
use crate::environment::progress::Progress;

pub(super) struct Cache {
    pub(super) root: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    Shared,
    Alone,
}

impl Cache {
    pub(super) fn open(root: &Path) -> Result<Cache, Error> {
        let open = || {
            create(root)?;
            // Cells see environments at their own paths, which must not lead over links.
            let root = root.canonicalize()?;
            for folder in ["", "environments", "held", "locks"] {
                let folder = root.join(folder);
                create(&folder)?;
                refuse_shared(&folder)?;
            }
            Ok(Cache { root })
        };
        open().map_err(Error::cache(root))
    }

    pub(super) fn environments(&self) -> PathBuf {
        self.root.join("environments")
    }

    pub(super) fn environment(&self, id: &str) -> PathBuf {
        self.environments().join(id)
    }

    /// Touched at each use.
    pub(super) fn used(&self, id: &str) -> PathBuf {
        self.environments().join(format!("{id}.used"))
    }

    pub(super) fn locks(&self) -> PathBuf {
        self.root.join("locks")
    }

    pub(super) fn lock(&self, key: &str) -> PathBuf {
        self.locks().join(format!("{key}.txt"))
    }

    pub(super) fn downloads(&self) -> PathBuf {
        self.root.join("downloads")
    }

    /// A folder for each version, because another process may be running another one.
    pub(super) fn tool(&self, version: &str) -> PathBuf {
        self.root.join("tool").join(version)
    }

    /// Waits until the name can be held so.
    pub(super) async fn hold(
        &self,
        name: &str,
        how: Hold,
        tell: &super::environments::Tell<'_>,
    ) -> Result<File, Error> {
        let path = self.held(name);
        let failed = Error::cache(&path);
        match try_hold(&path, how) {
            Ok(Some(file)) => return Ok(file),
            Ok(None) => tell(Progress::Waiting),
            Err(error) => return Err(failed(error)),
        }
        let waiting = path.clone();
        let held = tokio::task::spawn_blocking(move || wait(&waiting, how)).await;
        held.map_err(io::Error::other).flatten().map_err(failed)
    }

    /// The hold, unless someone else has it.
    pub(super) fn try_hold(&self, name: &str) -> Result<Option<File>, Error> {
        let path = self.held(name);
        try_hold(&path, Hold::Alone).map_err(Error::cache(&path))
    }

    fn held(&self, name: &str) -> PathBuf {
        self.root.join("held").join(name)
    }
}

/// Whatever the umask is, only its owner writes to it.
fn create(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(folder)
}

/// Whoever can write to it decides what is imported in cells, of all brains that use it.
fn refuse_shared(folder: &Path) -> io::Result<()> {
    if fs::metadata(folder)?.mode() & 0o002 == 0 {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "every user may write to `{0}`, and could replace packages there; run `chmod o-w {0}` if only you have used it, or \
         choose another folder with `package_cache`",
        folder.display()
    )))
}

/// The name that is held while an environment is made; its own name is held while it is used.
pub(super) fn making(id: &str) -> String {
    format!("{id}.making")
}

/// Writes a file that is either there as a whole or not at all.
pub(super) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write;
    let partial = path.with_extension(format!("partial-{}", std::process::id()));
    let mut file = options().truncate(true).open(&partial)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&partial, path)
}

fn open(path: &Path) -> io::Result<File> {
    options().truncate(false).open(path)
}

/// A file that only its owner writes to.
fn options() -> OpenOptions {
    let mut options = File::options();
    options.create(true).write(true).mode(0o644);
    options
}

fn try_hold(path: &Path, how: Hold) -> io::Result<Option<File>> {
    let file = open(path)?;
    let tried = if how == Hold::Alone { file.try_lock() } else { file.try_lock_shared() };
    match tried {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn wait(path: &Path, how: Hold) -> io::Result<File> {
    let file = open(path)?;
    match how {
        Hold::Alone => file.lock()?,
        Hold::Shared => file.lock_shared()?,
    }
    Ok(file)
}
