//! What is written and does not survive loss of power yet: Runs that Triggers began and ends of queued Runs, where they can be
//! carried out once more. One flush makes a whole chain of them last.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use crate::app::error::Error;
use crate::ctx::Ctx;

/// Nothing waits for longer.
const AT_MOST: Duration = Duration::from_millis(10);
/// A database that failed is left alone for a while.
const AGAIN: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(crate) struct Unflushed {
    /// When the flush is due, if something waits for one.
    due: Mutex<Option<Timestamp>>,
}

impl Unflushed {
    /// Something was committed that waits.
    pub(crate) fn add(&self, now: Timestamp) {
        self.lock().get_or_insert(now + AT_MOST);
    }

    /// Takes over what waits: whoever does flushes it, or puts it back.
    pub(crate) fn take(&self) -> Option<Timestamp> {
        self.lock().take()
    }

    pub(crate) fn put_back(&self, due: Option<Timestamp>) {
        let mut waiting = self.lock();
        *waiting = waiting.into_iter().chain(due).min();
    }

    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        self.lock().is_some_and(|due| due <= now)
    }

    pub(crate) async fn flush(&self, ctx: &Ctx) -> Result<(), Error> {
        if self.take().is_none() {
            return Ok(());
        }
        let flushed = ctx.store.flush().await;
        if flushed.is_err() {
            self.put_back(Some(ctx.clock.now() + AGAIN));
        }
        Ok(flushed?)
    }

    /// Returns when the flush is due. Does not if nothing waits.
    pub(crate) async fn due(&self, ctx: &Ctx) {
        let due = *self.lock();
        match due {
            Some(due) => ctx.clock.wait_until(due).await,
            None => std::future::pending().await,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Timestamp>> {
        // It is replaced as a whole.
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
