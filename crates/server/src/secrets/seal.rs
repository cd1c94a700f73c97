//! Seals secret values with a key that is kept apart from the database: in a file only its owner reads, or given.
//!
//! XChaCha20-Poly1305 with a random nonce; the name of the secret is authenticated with it, so that a sealed value
//! cannot be passed off under another name.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use secrecy::{ExposeSecret, SecretBox, SecretString};
use thiserror::Error;

use crate::ids::Ids;

const NONCE_BYTES: usize = 24;

#[derive(Debug, Error)]
pub enum SealError {
    #[error(
        "the secrets key is not 64 hexadecimal digits; take it from `secrets.key` of the data folder it belongs to"
    )]
    Malformed,
    #[error("cannot read the secrets key `{}`", .path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write the secrets key `{}`", .path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error(
        "the secrets key `{}` can be read by others (mode {mode:o}); make it readable only by you with `chmod 600`", .path.display()
    )]
    Exposed { path: PathBuf, mode: u32 },
    #[error(
        "the secrets key does not decrypt the stored secrets; give the key this brain was created with, in `secrets.key` or `SELFMADE_SECRETS_KEY`"
    )]
    WrongKey,
    #[error(
        "there are secrets, but no key: `{}` is missing; put it back, or give it in `SELFMADE_SECRETS_KEY`", .path.display()
    )]
    Missing { path: PathBuf },
    #[error("the machine provides no random bytes: {0}")]
    NoChance(getrandom::Error),
}

/// Where the key comes from. Nothing is read before it is needed.
#[derive(Clone)]
pub struct KeySource {
    file: PathBuf,
    given: Option<Arc<SecretString>>,
}

impl KeySource {
    pub fn new(file: PathBuf, given: Option<SecretString>) -> KeySource {
        KeySource { file, given: given.map(Arc::new) }
    }

    /// The key that exists.
    pub fn existing(&self) -> Result<Option<SealingKey>, SealError> {
        if let Some(given) = &self.given {
            return SealingKey::parse(given.expose_secret()).map(Some);
        }
        match std::fs::read_to_string(&self.file) {
            Ok(text) => {
                check_mode(&self.file)?;
                SealingKey::parse(&text).map(Some)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(SealError::Read { path: self.file.clone(), source }),
        }
    }

    /// The key that exists, or a new one, which only its owner can read.
    pub fn existing_or_new(&self, ids: &Ids) -> Result<SealingKey, SealError> {
        if let Some(key) = self.existing()? {
            return Ok(key);
        }
        let text = hex::encode(ids.random_bytes::<32>().map_err(SealError::NoChance)?);
        match write_private(&self.file, &text, ids) {
            Ok(()) => SealingKey::parse(&text),
            // Another process was quicker; its key counts.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                self.existing()?.ok_or_else(|| self.missing())
            }
            Err(source) => Err(SealError::Write { path: self.file.clone(), source }),
        }
    }

    pub fn missing(&self) -> SealError {
        SealError::Missing { path: self.file.clone() }
    }
}

/// Written beside its place and linked into it: whoever finds the file finds it whole, and no one's key is replaced.
fn write_private(path: &Path, text: &str, ids: &Ids) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    // A name of its own for each attempt: two threads that shared one could put half a key in place.
    let draft = folder.join(format!(".secrets.key.{}", ids.uuid()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&draft).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    let linked = written.and_then(|()| std::fs::hard_link(&draft, path));
    std::fs::remove_file(&draft).ok();
    linked
}

#[cfg(unix)]
fn check_mode(path: &Path) -> Result<(), SealError> {
    use std::os::unix::fs::PermissionsExt;
    let metadata =
        std::fs::metadata(path).map_err(|source| SealError::Read { path: path.to_owned(), source })?;
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 == 0 { Ok(()) } else { Err(SealError::Exposed { path: path.to_owned(), mode }) }
}

#[cfg(not(unix))]
fn check_mode(_: &Path) -> Result<(), SealError> {
    Ok(())
}

pub struct SealingKey(SecretBox<[u8; 32]>);

impl SealingKey {
    fn parse(text: &str) -> Result<SealingKey, SealError> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text.trim(), &mut bytes).map_err(|_| SealError::Malformed)?;
        Ok(SealingKey(SecretBox::new(Box::new(bytes))))
    }

    pub fn seal(&self, name: &str, value: &[u8], ids: &Ids) -> Result<Vec<u8>, SealError> {
        let nonce = ids.random_bytes::<NONCE_BYTES>().map_err(SealError::NoChance)?;
        let payload = Payload { msg: value, aad: name.as_bytes() };
        let sealed = self.cipher().encrypt(&XNonce::from(nonce), payload).map_err(|_| SealError::WrongKey)?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    pub fn open(&self, name: &str, sealed: &[u8]) -> Result<SecretBox<Vec<u8>>, SealError> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>().ok_or(SealError::WrongKey)?;
        let payload = Payload { msg: sealed, aad: name.as_bytes() };
        let value = self.cipher().decrypt(&XNonce::from(*nonce), payload).map_err(|_| SealError::WrongKey)?;
        Ok(SecretBox::new(Box::new(value)))
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&Key::from(*self.0.expose_secret()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;

    fn ids() -> Ids {
        Ids::random(Clock::System)
    }

    #[test]
    fn a_sealed_value_opens_under_its_own_name_and_key_only() {
        let folder = tempfile::tempdir().unwrap();
        let key = KeySource::new(folder.path().join("a"), None).existing_or_new(&ids()).unwrap();
        let other = KeySource::new(folder.path().join("b"), None).existing_or_new(&ids()).unwrap();
        let sealed = key.seal("token", b"hunter2", &ids()).unwrap();
        assert_eq!(key.open("token", &sealed).unwrap().expose_secret().as_slice(), b"hunter2");
        assert!(matches!(key.open("other", &sealed), Err(SealError::WrongKey)));
        assert!(matches!(other.open("token", &sealed), Err(SealError::WrongKey)));
        assert!(matches!(key.open("token", &sealed[..10]), Err(SealError::WrongKey)));
    }

    #[test]
    fn the_same_value_is_never_sealed_the_same_way() {
        let folder = tempfile::tempdir().unwrap();
        let key = KeySource::new(folder.path().join("key"), None).existing_or_new(&ids()).unwrap();
        assert_ne!(key.seal("n", b"v", &ids()).unwrap(), key.seal("n", b"v", &ids()).unwrap());
    }

    #[test]
    fn the_key_file_is_made_once_and_only_its_owner_reads_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secrets.key");
        let source = KeySource::new(file.clone(), None);
        source.existing_or_new(&ids()).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        source.existing_or_new(&ids()).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(source.existing(), Err(SealError::Exposed { mode: 0o644, .. })));
    }

    #[test]
    fn a_key_that_is_none_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let source = KeySource::new(folder.path().join("key"), Some("not hex".into()));
        assert!(matches!(source.existing(), Err(SealError::Malformed)));
    }
}
