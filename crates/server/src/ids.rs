//! Chance, passed in: ids that sort by time, and random bytes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use model::ids::{
    AuditId, ChangesetId, EntryId, NodeId, PackId, RunId, SecretId, SessionId, TokenId, VersionId,
};
use uuid::{ContextV7, Timestamp, Uuid};

use crate::clock::Clock;

/// Makes ids from the clock and from chance, or, in a test, by counting.
#[derive(Clone, Debug)]
pub struct Ids {
    clock: Clock,
    counter: Option<Arc<AtomicU64>>,
    /// Keeps ids of one millisecond in the order they were made in, which lists rely on.
    context: Arc<Mutex<ContextV7>>,
}

impl Ids {
    pub fn random(clock: Clock) -> Ids {
        Ids { clock, counter: None, context: Arc::new(Mutex::new(ContextV7::new())) }
    }

    /// The same ids each time, for tests that compare texts.
    pub fn counting(clock: Clock) -> Ids {
        Ids { counter: Some(Arc::new(AtomicU64::new(0))), ..Ids::random(clock) }
    }

    pub fn uuid(&self) -> Uuid {
        if let Some(counter) = &self.counter {
            return Uuid::from_u128(u128::from(counter.fetch_add(1, Ordering::Relaxed) + 1));
        }
        let now = self.clock.now();
        let seconds = u64::try_from(now.as_second()).unwrap_or_default();
        let nanoseconds = u32::try_from(now.subsec_nanosecond()).unwrap_or_default();
        let context = self.context.lock().unwrap_or_else(PoisonError::into_inner);
        Uuid::new_v7(Timestamp::from_unix(&*context, seconds, nanoseconds))
    }

    pub fn entry(&self) -> EntryId {
        EntryId(self.uuid())
    }

    pub fn version(&self) -> VersionId {
        VersionId(self.uuid())
    }

    pub fn changeset(&self) -> ChangesetId {
        ChangesetId(self.uuid())
    }

    pub fn pack(&self) -> PackId {
        PackId(self.uuid())
    }

    pub fn secret(&self) -> SecretId {
        SecretId(self.uuid())
    }

    pub fn token(&self) -> TokenId {
        TokenId(self.uuid())
    }

    pub fn session(&self) -> SessionId {
        SessionId(self.uuid())
    }

    pub fn run(&self) -> RunId {
        RunId(self.uuid())
    }

    pub fn node(&self) -> NodeId {
        NodeId(self.uuid())
    }

    pub fn audit(&self) -> AuditId {
        AuditId(self.uuid())
    }

    /// Between 0 and 1, for what need not be unguessable. Without a source of chance, and where ids are counted, it is the middle.
    pub fn chance(&self) -> f64 {
        if self.counter.is_some() {
            return 0.5;
        }
        self.random_bytes::<4>()
            .map_or(0.5, |bytes| f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX))
    }

    /// Bytes nobody can guess. A machine without a source of chance cannot keep secrets, so there is no going on.
    pub fn random_bytes<const N: usize>(&self) -> Result<[u8; N], getrandom::Error> {
        let mut bytes = [0; N];
        getrandom::fill(&mut bytes)?;
        Ok(bytes)
    }
}
