//! The owner of the machine: a key that is written into the data folder, readable only by its owner, gives full access to
//! this server while it runs. Whoever can read that file can read the database too.

use std::sync::{PoisonError, RwLock};

use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::http::state::Door;
use crate::secrets::seal::SealError;

/// The hash of the key, if one was made.
#[derive(Debug, Default)]
pub(crate) struct Owners(RwLock<Option<[u8; 32]>>);

impl Owners {
    fn set(&self, key: &str) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(hash(key));
    }

    /// Hashes are compared, so how long that takes tells nothing of the key.
    pub(crate) fn is_one(&self, key: &SecretString) -> bool {
        *self.0.read().unwrap_or_else(PoisonError::into_inner) == Some(hash(key.expose_secret()))
    }
}

fn hash(key: &str) -> [u8; 32] {
    Sha256::digest(key.as_bytes()).into()
}

impl Door {
    /// A new key of the owner. Earlier ones are good no more.
    pub fn owner_key(&self) -> Result<SecretString, Error> {
        let bytes = self.ctx().ids.random_bytes::<32>().map_err(SealError::NoChance)?;
        let key = hex::encode(bytes);
        self.owners().set(&key);
        Ok(SecretString::from(key))
    }
}
