//! The feed: the newest Events, read from the log once for any number of readers. Each reader has its own cursor and reads
//! when it can, so a slow one delays nobody; one that fell far behind reads the log.

use std::sync::Arc;
use std::time::Duration;

use model::access::Access;
use model::access::scope::Scope;
use model::access::verb::Verb;
use model::event::Event;
use sandbox::CancellationToken;
use store::Topic;
use tokio::sync::{OnceCell, watch};

use super::recent::Recent;
use crate::ctx::Ctx;
use crate::error::Error;
use crate::signals;

/// The log is polled this often for what servers that cannot be heard appended.
const LOOK: Duration = Duration::from_millis(500);
const AT_ONCE: u32 = 500;

pub(crate) struct Feed {
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
pub(crate) enum FeedItems {
    Events(Vec<Arc<Event>>),
    /// The Events from the first to the last of these are not kept any more.
    Pruned {
        first: u64,
        last: u64,
    },
}

/// Where a reader begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begin {
    /// With what happens from now on.
    Now,
    /// With the oldest that there is.
    Oldest,
    /// After the last one that was read, 0 if that was none: what is missing behind it is named.
    After(u64),
}

impl Feed {
    pub(crate) fn new(ctx: Ctx, stop: CancellationToken) -> Feed {
        let shared = Shared { recent: Recent::default(), last: watch::Sender::new(0) };
        Feed { ctx, stop, reading: OnceCell::new(), shared: Arc::new(shared) }
    }

    /// Those that may be seen.
    pub(crate) async fn reader(&self, access: &Access, begin_at: Begin) -> Result<Reader, Error> {
        access.may(Verb::ReadEvents)?;
        let begin = async {
            let newest = self.ctx.store.newest_event().await?;
            self.shared.last.send_replace(newest);
            tokio::spawn(read(self.ctx.clone(), Arc::clone(&self.shared), self.stop.clone()));
            Ok::<(), Error>(())
        };
        self.reading.get_or_try_init(|| begin).await?;
        let last = self.shared.last.subscribe();
        let seq = match begin_at {
            Begin::Now => self.ctx.store.newest_event().await?,
            Begin::Oldest => 0,
            Begin::After(seq) => seq,
        };
        let (ctx, shared, scope) = (self.ctx.clone(), Arc::clone(&self.shared), access.only().clone());
        Ok(Reader { ctx, shared, scope, last, seq, misses: begin_at != Begin::Oldest })
    }
}

/// Reads the log until the server stops.
async fn read(ctx: Ctx, shared: Arc<Shared>, stop: CancellationToken) {
    let mut events = ctx.signals.on(Topic::Events);
    while !stop.is_cancelled() {
        let from = *shared.last.borrow();
        match ctx.store.events_after(from, AT_ONCE).await {
            Ok(read) => {
                if let Some(last) = read.last().map(|event| event.seq) {
                    shared.recent.add(read);
                    shared.last.send_replace(last);
                    continue;
                }
            }
            Err(error) => tracing::warn!("cannot read the log of events: {error}"),
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = events.changed() => {}
            () = ctx.clock.wait_until(ctx.clock.now() + signals::net(&ctx, LOOK)) => {}
        }
    }
}

pub(crate) struct Reader {
    ctx: Ctx,
    shared: Arc<Shared>,
    scope: Scope,
    last: watch::Receiver<u64>,
    seq: u64,
    /// Whether what is gone is missed: whoever wants the oldest takes what there is.
    misses: bool,
}

impl Reader {
    /// The next ones, in their order, without a gap or a repeat, as soon as there are some. What was pruned before it was taken is
    /// named once. Nothing if no more comes.
    pub(crate) async fn next(&mut self) -> Result<Option<FeedItems>, Error> {
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
                    // Numbers have no gap but for what is gone from the beginning.
                    let expected = self.seq + 1;
                    if self.misses && first.seq > expected {
                        self.seq = first.seq - 1;
                        return Ok(Some(FeedItems::Pruned { first: expected, last: self.seq }));
                    }
                    self.seq = newest.seq;
                    self.misses = true;
                    let seen = |event: &Arc<Event>| event.is_visible_to(&self.scope);
                    return Ok(Some(FeedItems::Events(events.into_iter().filter(seen).collect())));
                }
            }
            if self.last.changed().await.is_err() {
                return Ok(None);
            }
        }
    }
}
