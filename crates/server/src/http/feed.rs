//! The feed: the newest Events, read from the log once and handed to any number of readers. Each reader has a cursor of its
//! own and takes what it wants when it can, so a slow one costs nobody anything; one that fell far behind reads the log.

use std::sync::Arc;
use std::time::Duration;

use model::event::Event;
use sandbox::CancellationToken;
use tokio::sync::{OnceCell, watch};

use super::recent::Recent;
use crate::app::error::Error;
use crate::ctx::Ctx;

/// Without a ring the log is looked at this often, for what other servers appended.
const LOOK: Duration = Duration::from_millis(500);
const AT_ONCE: u32 = 500;

pub(super) struct Feed {
    ctx: Ctx,
    stop: CancellationToken,
    /// Begun by the first reader.
    reading: OnceCell<()>,
    shared: Arc<Shared>,
}

struct Shared {
    recent: Recent,
    /// The last one that was read.
    last: watch::Sender<u64>,
}

/// What a reader takes.
pub(super) enum Taken {
    Events(Vec<Arc<Event>>),
    /// The Events from the first to the last of these are not kept any more.
    Pruned {
        first: u64,
        last: u64,
    },
}

impl Feed {
    pub(super) fn new(ctx: Ctx, stop: CancellationToken) -> Feed {
        let shared = Shared { recent: Recent::default(), last: watch::Sender::new(0) };
        Feed { ctx, stop, reading: OnceCell::new(), shared: Arc::new(shared) }
    }

    /// Those after this one; from now on where none is named.
    pub(super) async fn reader(&self, after: Option<u64>) -> Result<Reader, Error> {
        let begin = async {
            let newest = self.ctx.store.newest_event().await?;
            self.shared.last.send_replace(newest);
            tokio::spawn(read(self.ctx.clone(), Arc::clone(&self.shared), self.stop.clone()));
            Ok::<(), Error>(())
        };
        self.reading.get_or_try_init(|| begin).await?;
        let last = self.shared.last.subscribe();
        let seq = match after {
            Some(after) => after,
            None => self.ctx.store.newest_event().await?,
        };
        Ok(Reader { ctx: self.ctx.clone(), shared: Arc::clone(&self.shared), last, seq })
    }
}

/// Reads the log until the server stops.
async fn read(ctx: Ctx, shared: Arc<Shared>, stop: CancellationToken) {
    let mut appended = ctx.engine.appended();
    while !stop.is_cancelled() {
        let from = *shared.last.borrow();
        match ctx.store.events_after(from, AT_ONCE).await {
            Ok(events) => {
                if let Some(last) = events.last().map(|event| event.seq) {
                    shared.recent.add(events);
                    shared.last.send_replace(last);
                    continue;
                }
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

pub(super) struct Reader {
    ctx: Ctx,
    shared: Arc<Shared>,
    last: watch::Receiver<u64>,
    seq: u64,
}

impl Reader {
    /// The next ones, in their order, without a gap or a repeat, as soon as there are some. What was pruned before it was taken is
    /// named once. Nothing if no more comes.
    pub(super) async fn next(&mut self) -> Result<Option<Taken>, Error> {
        loop {
            let last = *self.last.borrow_and_update();
            if last > self.seq {
                let events = match self.shared.recent.after(self.seq, AT_ONCE as usize) {
                    Some(events) => events,
                    None => {
                        let events = self.ctx.store.events_after(self.seq, AT_ONCE).await?;
                        events.into_iter().map(Arc::new).collect()
                    }
                };
                if let (Some(first), Some(newest)) = (events.first(), events.last()) {
                    // Numbers have no gap but for what is gone from the beginning. Whoever reads from there asked for no number.
                    let expected = self.seq + 1;
                    if self.seq > 0 && first.seq > expected {
                        self.seq = first.seq - 1;
                        return Ok(Some(Taken::Pruned { first: expected, last: self.seq }));
                    }
                    self.seq = newest.seq;
                    return Ok(Some(Taken::Events(events)));
                }
            }
            if self.last.changed().await.is_err() {
                return Ok(None);
            }
        }
    }
}
