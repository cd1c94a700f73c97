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

/// On a disk that is nearly full a small write works where a large one fails. A write below this tells as much as any.
const SMALL: u64 = 64 << 10;
/// So many writes in a row that work end an outage, if nobody repeats the large one that failed.
const IN_A_ROW: u32 = 32;

/// What is known by all who use one database.
#[derive(Clone, Default)]
pub(crate) struct Outages(Arc<Mutex<Option<Current>>>);

struct Current {
    outage: Outage,
    /// The size of what failed last.
    bytes: u64,
    /// How many writes have worked since.
    worked: u32,
}

impl Outages {
    /// Hears what happened to a write of so many bytes. Reads tell nothing: they go on while a disk is full. Nor does a
    /// statement that was refused, which needed no room.
    pub(crate) fn observe<T>(&self, written: &Result<T, Error>, bytes: u64) {
        match written {
            Err(error) if error.is_passing() => self.begin(error, bytes),
            Ok(_) => self.worked(bytes),
            Err(_) => {}
        }
    }

    fn begin(&self, error: &Error, bytes: u64) {
        let mut current = self.lock();
        if current.is_none() {
            tracing::error!("the database is unavailable: {error}");
        }
        let outage = Outage { detail: error.to_string(), reason: error.reason() };
        *current = Some(Current { outage, bytes, worked: 0 });
    }

    fn worked(&self, bytes: u64) {
        let mut current = self.lock();
        let Some(known) = current.as_mut() else { return };
        known.worked += 1;
        if known.bytes <= bytes.max(SMALL) || known.worked >= IN_A_ROW {
            *current = None;
            tracing::warn!("the database is available again");
        }
    }

    pub(crate) fn now(&self) -> Option<Outage> {
        self.lock().as_ref().map(|current| current.outage.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Option<Current>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Result<(), Error> {
        Err(Error::DiskFull { database: "the test".to_owned() })
    }

    #[test]
    fn a_small_write_that_works_does_not_end_the_outage_of_a_large_one() {
        let outages = Outages::default();
        outages.observe(&full(), 1 << 20);
        for _ in 1..IN_A_ROW {
            outages.observe(&Ok(()), 100);
        }
        outages.observe(&full(), 1 << 20);
        for _ in 1..IN_A_ROW {
            outages.observe(&Ok(()), 100);
            assert!(outages.now().is_some());
        }
        outages.observe(&Ok(()), 100);
        assert_eq!(outages.now(), None, "the large one was given up");
    }

    #[test]
    fn a_write_as_large_as_the_one_that_failed_ends_the_outage() {
        let outages = Outages::default();
        for bytes in [100, 1 << 20] {
            outages.observe(&full(), bytes);
            outages.observe(&Err::<(), _>(Error::GuardFailed { guard: "it needed no room" }), bytes);
            assert!(outages.now().is_some());
            outages.observe(&Ok(()), bytes);
            assert_eq!(outages.now(), None);
        }
    }
}
