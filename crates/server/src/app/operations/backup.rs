//! Backup and restore: a whole brain in one file, while it is in use, without the key that decrypts its secrets unless
//! requested.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Serialize;
use store::{Copied, Location, Store};

use crate::config::Config;
use crate::error::Error;
use crate::serving::Serving;

/// What a backup holds.
#[derive(Clone, Debug, Serialize)]
pub struct BackedUp {
    pub file: PathBuf,
    pub bytes: u64,
    pub revision: u64,
    pub brain_id: Option<String>,
    /// Where the key was put, if it was asked for.
    pub key: Option<PathBuf>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Restored {
    pub database: PathBuf,
    pub revision: u64,
    pub brain_id: Option<String>,
    /// Where what was there before is now.
    pub aside: Option<PathBuf>,
    pub key: KeyAfter,
}

/// Which key there is after restoring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyAfter {
    /// That of the backup.
    Restored,
    /// The one that was there before; secrets open only if it is the same.
    Kept,
    /// None: secrets cannot be opened until their key is brought.
    Missing,
}

/// Writes the file beside its place and moves it there when it is known to be whole.
pub async fn back_up(config: &Config, to: &Path, overwrite: bool, with_key: bool) -> Result<BackedUp, Error> {
    if !overwrite && to.exists() {
        return Err(Error::InTheWay { path: to.to_owned() });
    }
    let key = with_key.then(|| read_key(config)).transpose()?;
    let partial = beside(to, ".partial");
    remove(&partial)?;
    let copied = Store::copy_to(&config.database, &partial).await;
    let copied = copied.inspect_err(|_| drop(fs::remove_file(&partial)))?;
    move_into_place(&partial, to)?;
    let key_file = beside(to, ".key");
    if let Some(text) = &key {
        write_private(&key_file, text)?;
    }
    Ok(BackedUp {
        file: to.to_owned(),
        bytes: copied.bytes,
        revision: copied.revision,
        brain_id: shown_id(&copied),
        key: key.map(|_| key_file),
    })
}

/// Puts a backup in the place of the brain, which is kept beside it.
pub async fn restore(config: &Config, from: &Path, force: bool, now: Timestamp) -> Result<Restored, Error> {
    let Location::Sqlite(database) = &config.database else {
        return Err(store::Error::NoFile { server: config.database.to_string() }.into());
    };
    let copied = Store::examine_copy(from).await?;
    let is_there = database.exists();
    // As long as it is held, no server begins.
    let _serving = is_there.then(|| Serving::begin(&config.database, None)).transpose()?;
    if is_there && !force {
        return Err(Error::InTheWay { path: database.clone() });
    }
    let partial = beside(database, ".restoring");
    remove(&partial)?;
    let source = Location::Sqlite(from.to_owned());
    let written = Store::copy_to(&source, &partial).await;
    written.inspect_err(|_| drop(fs::remove_file(&partial)))?;
    let suffix = format!(".before-restore-{}", now.strftime("%Y%m%dT%H%M%SZ"));
    let aside = if is_there { Some(set_aside(database, &suffix).await?) } else { None };
    // Between these two there is no brain in its place; both are there under their other names.
    move_into_place(&partial, database)?;
    let key = restore_key(config, &beside(from, ".key"), &suffix)?;
    let (revision, brain_id) = (copied.revision, shown_id(&copied));
    Ok(Restored { database: database.clone(), revision, brain_id, aside, key })
}

fn shown_id(copied: &Copied) -> Option<String> {
    copied.brain_id.map(|id| id.to_string())
}

/// A brain whose log cannot be folded in, because it is damaged, is moved with its log.
async fn set_aside(database: &Path, suffix: &str) -> Result<PathBuf, Error> {
    if let Err(error @ store::Error::Busy { .. }) = Store::fold(database).await {
        return Err(error.into());
    }
    let aside = beside(database, suffix);
    for end in ["-wal", "-shm", ""] {
        let (from, to) = (beside(database, end), beside(&aside, end));
        if from.exists() {
            fs::rename(&from, &to).map_err(|source| Error::Write { path: to, source })?;
        }
    }
    Ok(aside)
}

fn read_key(config: &Config) -> Result<Vec<u8>, Error> {
    if config.secrets_key.is_some() {
        return Err(Error::Input {
            problem: "the key comes from the environment, so it is not in the data folder".to_owned(),
            hint: "back it up where it is kept, and leave `--with-key` out".to_owned(),
        });
    }
    let path = config.secrets_key_file();
    fs::read(&path).map_err(|source| Error::Read { path, source })
}

fn restore_key(config: &Config, from: &Path, suffix: &str) -> Result<KeyAfter, Error> {
    let to = config.secrets_key_file();
    let is_there = to.exists() || config.secrets_key.is_some();
    let text = match fs::read(from) {
        Ok(text) => text,
        Err(_) if is_there => return Ok(KeyAfter::Kept),
        Err(_) => return Ok(KeyAfter::Missing),
    };
    if to.exists() {
        let aside = beside(&to, suffix);
        fs::rename(&to, &aside).map_err(|source| Error::Write { path: aside, source })?;
    }
    write_private(&to, &text)?;
    Ok(KeyAfter::Restored)
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// What a backup that was broken off left behind.
fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::Write { path: path.to_owned(), source: error })
        }
        _ => Ok(()),
    }
}

/// The file is flushed before it is renamed, and renamed before success is reported.
fn move_into_place(from: &Path, to: &Path) -> Result<(), Error> {
    let moved = || -> std::io::Result<()> {
        File::open(from)?.sync_all()?;
        fs::rename(from, to)?;
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    };
    moved().map_err(|source| Error::Write { path: to.to_owned(), source })
}

fn write_private(path: &Path, text: &[u8]) -> Result<(), Error> {
    remove(path)?;
    let written = || -> std::io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        file.write_all(text)?;
        file.sync_all()
    };
    written().map_err(|source| Error::Write { path: path.to_owned(), source })
}
