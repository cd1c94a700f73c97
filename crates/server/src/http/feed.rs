//! The feed: the newest Events, read from the log once and handed to any number of readers. Each reader has a cursor of its
//! own and takes what it wants when it can, so a slow one costs nobody anything; one that fell far behind reads the log.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::event::Event;
use sandbox::CancellationToken;
use tokio::sync::{OnceCell, watch};

use crate::app::error::Error;
use crate::ctx::Ctx;

/// Without a ring the log is looked at this often, for what other servers appended.
const LOOK: Duration = Duration::from_millis(500);
const AT_ONCE: u32 = 500;
/// So many are remembered.
const RECENT: usize = 4_096;

pub(super) struct Feed {
    ctx: Ctx,
    stop: CancellationToken,
    /// Begun by the first reader.
    reading: OnceCell<()>,
    recent: Arc<Recent>,
}

struct Recent {
    events: Mutex<VecDeque<Arc<Event>>>,
    /// The last one that was read.
    last: watch::Sender<u64>,
}

impl Feed {
    pub(super) fn new(ctx: Ctx, stop: CancellationToken) -> Feed {
        let recent = Recent { events: Mutex::default(), last: watch::Sender::new(0) };
        Feed { ctx, stop, reading: OnceCell::new(), recent: Arc::new(recent) }
    }

    /// Those after this one; from now on where none is named.
    pub(super) async fn reader(&self, after: Option<u64>) -> Result<Reader, Error> {
        let begin = async {
            let newest = self.ctx.store.newest_event().await?;
            self.recent.last.send_replace(newest);
            tokio::spawn(read(self.ctx.clone(), Arc::clone(&self.recent), self.stop.clone()));
            Ok::<(), Error>(())
        };
        self.reading.get_or_try_init(|| begin).await?;
        let last = self.recent.last.subscribe();
        let seq = match after {
            Some(after) => after,
            None => self.ctx.store.newest_event().await?,
        };
        Ok(Reader { ctx: self.ctx.clone(), recent: Arc::clone(&self.recent), last, seq })
    }
}

/// Reads the log until the server stops.
async fn read(ctx: Ctx, recent: Arc<Recent>, stop: CancellationToken) {
    let mut appended = ctx.engine.appended();
    while !stop.is_cancelled() {
        let from = *recent.last.borrow();
        match ctx.store.events_after(from, AT_ONCE).await {
            Ok(events) if events.is_empty() => {}
            Ok(events) => {
                recent.add(events);
                continue;
            }
            Err(error) => tracing::warn!("cannot read the log of events: {error}"),
        }
        tokio::select! {
            () = stop.cancelled() => {}
            _ = appended.changed() => {}
            () = ctx.clock.wait_until(ctx.clock.now() + LOOK) => {}
        }
    }
}

impl Recent {
    fn events(&self) -> MutexGuard<'_, VecDeque<Arc<Event>>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, events: Vec<Event>) {
        let Some(last) = events.last().map(|event| event.seq) else { return };
        let mut recent = self.events();
        recent.extend(events.into_iter().map(Arc::new));
        let surplus = recent.len().saturating_sub(RECENT);
        recent.drain(..surplus);
        drop(recent);
        self.last.send_replace(last);
    }

    /// Those after this one, if it still remembers all of them.
    fn after(&self, seq: u64) -> Option<Vec<Arc<Event>>> {
        let recent = self.events();
        let first = recent.front()?.seq;
        if first > seq + 1 {
            return None;
        }
        let skipped = usize::try_from(seq + 1 - first).ok()?;
        Some(recent.iter().skip(skipped).take(AT_ONCE as usize).cloned().collect())
    }
}

pub(super) struct Reader {
    ctx: Ctx,
    recent: Arc<Recent>,
    last: watch::Receiver<u64>,
    seq: u64,
}

impl Reader {
    /// The next ones, in their order, without a gap or a repeat, as soon as there are some.
    pub(super) async fn next(&mut self) -> Result<Vec<Arc<Event>>, Error> {
        loop {
            let last = *self.last.borrow_and_update();
            if last > self.seq {
                let events = match self.recent.after(self.seq) {
                    Some(events) => events,
                    None => {
                        let events = self.ctx.store.events_after(self.seq, AT_ONCE).await?;
                        events.into_iter().map(Arc::new).collect()
                    }
                };
                if let Some(newest) = events.last() {
                    self.seq = newest.seq;
                    return Ok(events);
                }
            }
            if self.last.changed().await.is_err() {
                return Ok(Vec::new());
            }
        }
    }
}
