//! Writes that do not survive a power failure yet: starts of triggered Runs and ends of queued Runs that can be executed
//! again. One flush makes a whole chain of them durable.

use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::Notify;

use crate::ctx::Ctx;
use crate::error::Error;

/// Nothing waits for longer.
const AT_MOST: Duration = Duration::from_millis(10);
/// A database that failed is left alone for a while.
const AGAIN: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(crate) struct Unflushed {
    /// When the flush is due, if something waits for one.
    due: Mutex<Option<Timestamp>>,
    added: Notify,
}

impl Unflushed {
    /// Something was committed that waits.
    pub(crate) fn add(&self, now: Timestamp) {
        self.lock().get_or_insert(now + AT_MOST);
        self.added.notify_waiters();
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

    /// Returns when the flush is due. What waits for it may be added meanwhile.
    pub(crate) async fn due(&self, ctx: &Ctx) {
        loop {
            let mut added = pin!(self.added.notified());
            added.as_mut().enable();
            let due = *self.lock();
            match due {
                Some(due) => return ctx.clock.wait_until(due).await,
                None => added.await,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Timestamp>> {
        // It is replaced as a whole.
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
