//! Where a server of a data folder is found: `server.json` in it says which process it is, where it answers and with which key its
//! owner may talk to it. The server holds a lock on the file, which the kernel takes back however it ends, so a file that nobody
//! holds is an old one.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use store::Location;

use crate::clock::Clock;
use crate::error::Error;

const FILE: &str = "server.json";
/// Whoever looks whether the file is held holds it for a moment itself.
const ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// What a server says of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Announcement {
    pub pid: u32,
    /// Where people reach it.
    pub url: String,
    /// The brain on SQLite that it serves.
    pub database: Option<PathBuf>,
    /// Where this machine reaches it.
    pub address: SocketAddr,
    pub version: String,
    pub started_at: Timestamp,
    /// How long running Runs have to end when the server stops.
    pub drain_seconds: u64,
    /// Opens what is the owner's alone: see `http/control`.
    #[serde(serialize_with = "exposed")]
    pub key: SecretString,
}

impl Announcement {
    pub fn serves(&self, database: &Location) -> bool {
        let Location::Sqlite(path) = database else { return false };
        self.database.is_some() && self.database == path.canonicalize().ok()
    }
}

/// The file is readable by its owner alone, who can read the brain, too.
fn exposed<S: serde::Serializer>(key: &SecretString, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(key.expose_secret())
}

/// The right to announce a server of a data folder, for as long as it is held.
#[derive(Debug)]
pub struct Announcer {
    file: File,
    path: PathBuf,
}

impl Announcer {
    /// Nothing if another server of this folder is announced already.
    pub async fn begin(home: &Path, clock: &Clock) -> Result<Option<Announcer>, Error> {
        let path = home.join(FILE);
        let file = open(&path).map_err(|source| Error::Write { path: path.clone(), source })?;
        for _ in 0..ATTEMPTS {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Announcer { file, path })),
                Err(TryLockError::WouldBlock) => clock.wait_until(clock.now() + PAUSE).await,
                Err(TryLockError::Error(source)) => return Err(Error::Write { path, source }),
            }
        }
        Ok(None)
    }

    pub fn announce(&mut self, announcement: &Announcement) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(announcement).map_err(std::io::Error::from);
        let written = text.and_then(|text| {
            self.file.set_len(0)?;
            self.file.seek(SeekFrom::Start(0))?;
            self.file.write_all(text.as_bytes())
        });
        written.map_err(|source| Error::Write { path: self.path.clone(), source })
    }
}

impl Drop for Announcer {
    fn drop(&mut self) {
        // What is left there is not believed without the lock.
        let _ = self.file.set_len(0);
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    // What is in it belongs to the holder.
    options.create(true).read(true).write(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// The server of a data folder, if there is one that has told where it is.
pub fn find(home: &Path) -> Result<Option<Announcement>, Error> {
    let path = home.join(FILE);
    let failed = |source| Error::Read { path: path.clone(), source };
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(failed(source)),
    };
    if is_open_to_others(&file).map_err(failed)? {
        return Ok(None);
    }
    match file.try_lock_shared() {
        Ok(()) => return Ok(None),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(source)) => return Err(failed(source)),
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(failed)?;
    // One that is about to announce itself has not written everything yet.
    Ok(serde_json::from_str(&text).ok())
}

/// Others could have written it, or read the key.
#[cfg(unix)]
fn is_open_to_others(file: &File) -> std::io::Result<bool> {
    Ok(std::os::unix::fs::PermissionsExt::mode(&file.metadata()?.permissions()) & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_: &File) -> std::io::Result<bool> {
    Ok(false)
}

/// Where a server that listens there is reached from its own machine.
pub fn near(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// The URL by which it is reached from its own machine.
pub fn url(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        format!("http://localhost:{}", address.port())
    } else {
        format!("http://{address}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn announcement() -> Announcement {
        Announcement {
            pid: 7,
            url: "http://localhost:1".to_owned(),
            database: None,
            address: "127.0.0.1:1".parse().unwrap(),
            version: "0".to_owned(),
            started_at: Timestamp::UNIX_EPOCH,
            drain_seconds: 30,
            key: SecretString::from("hunter2"),
        }
    }

    #[tokio::test]
    async fn a_server_is_found_as_long_as_it_is_there() {
        let home = tempfile::tempdir().unwrap();
        assert!(find(home.path()).unwrap().is_none());
        let mut announcer = Announcer::begin(home.path(), &Clock::System).await.unwrap().unwrap();
        assert!(find(home.path()).unwrap().is_none(), "it has not said where it is");
        announcer.announce(&announcement()).unwrap();
        let found = find(home.path()).unwrap().unwrap();
        assert_eq!((found.pid, found.key.expose_secret()), (7, "hunter2"));
        assert!(!format!("{found:?}").contains("hunter2"));
        assert!(
            Announcer::begin(home.path(), &Clock::System).await.unwrap().is_none(),
            "there is one already"
        );
        drop(announcer);
        assert!(find(home.path()).unwrap().is_none());
    }

    #[test]
    fn what_a_killed_server_left_behind_is_not_believed() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(FILE), serde_json::to_string(&announcement()).unwrap()).unwrap();
        assert!(find(home.path()).unwrap().is_none());
    }

    #[test]
    #[cfg(unix)]
    fn only_the_owner_reads_the_key() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let file = open(&home.path().join(FILE)).unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}
