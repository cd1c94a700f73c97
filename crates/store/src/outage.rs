//! Whether the database is available: known from the last writes, and logged once when it changes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Error;
use crate::store::Store;

/// Why nothing can be written now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// For those who look after the server: it names the database.
    pub detail: String,
    /// For everybody.
    pub reason: &'static str,
}

/// What is known by all who use one database.
#[derive(Clone, Default)]
pub(crate) struct Outages(Arc<Mutex<Option<Outage>>>);

impl Outages {
    /// Hears what happened to a write. Reads tell nothing: they go on while a disk is full.
    pub(crate) fn hear<T>(&self, written: &Result<T, Error>) {
        match written {
            Err(error) if error.is_passing() => self.begin(error),
            // A statement that was refused was heard by the database.
            _ => self.end(),
        }
    }

    fn begin(&self, error: &Error) {
        let mut outage = self.lock();
        if outage.is_none() {
            tracing::error!("the database is unavailable: {error}");
        }
        *outage = Some(Outage { detail: error.to_string(), reason: error.reason() });
    }

    fn end(&self) {
        if self.lock().take().is_some() {
            tracing::warn!("the database is available again");
        }
    }

    pub(crate) fn now(&self) -> Option<Outage> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Outage>> {
        // It is replaced as a whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    /// Why nothing can be written, if the last write failed.
    pub fn outage(&self) -> Option<Outage> {
        self.db.outages.now()
    }
}
