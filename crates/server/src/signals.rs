//! Wakes whoever waits for a change. The store says what each batch has changed, here and, on PostgreSQL, in other processes; this
//! notifies those who wait for it. Nobody else does, except for what is not in the database, a place that becomes free, and for what is too
//! frequent to be told to other processes, the journals of Graphs.
//!
//! A signal carries nothing: whoever is woken reads the database. One may be lost with the process that should have sent it, so
//! everybody who waits also looks again after a while.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::ids::RunId;
use store::{ChangedRuns, Changes, Topic};
use tokio::sync::Notify;

use crate::ctx::Ctx;

/// What everybody in this process waits on.
#[derive(Default)]
pub(crate) struct Signals {
    queue: Arc<Channel>,
    events: Arc<Channel>,
    brain: Arc<Channel>,
    cancels: Arc<Channel>,
    places: Arc<Channel>,
    graphs: Arc<Channel>,
    /// Those of Runs that somebody waits for.
    runs: Mutex<HashMap<RunId, Arc<Channel>>>,
}

impl Signals {
    /// Wakes for all that has changed.
    pub(crate) fn publish(&self, changes: &Changes) {
        match changes.changed_runs() {
            ChangedRuns::Any => self.runs().values().for_each(|channel| channel.notify()),
            ChangedRuns::These(settled) if settled.is_empty() => {}
            ChangedRuns::These(settled) => {
                let runs = self.runs();
                settled.iter().filter_map(|run| runs.get(run)).for_each(|channel| channel.notify());
            }
        }
        for topic in Topic::ALL.into_iter().filter(|topic| changes.has(*topic)) {
            self.channel(topic).notify();
        }
    }

    /// From now on.
    pub(crate) fn on(&self, topic: Topic) -> Signal {
        Signal::of(self.channel(topic))
    }

    /// Wakes when a place for Runs from the queue becomes free here.
    pub(crate) fn places(&self) -> Signal {
        Signal::of(&self.places)
    }

    pub(crate) fn place_freed(&self) {
        self.places.notify();
    }

    /// Wakes when something of a Run of a Graph was journaled here.
    pub(crate) fn graphs(&self) -> Signal {
        Signal::of(&self.graphs)
    }

    pub(crate) fn graph_journaled(&self) {
        self.graphs.notify();
    }

    /// Wakes when this Run ends or begins to wait.
    pub(crate) fn run(self: &Arc<Self>, run: RunId) -> RunSignal {
        let signal = Signal::of(self.runs().entry(run).or_default());
        RunSignal { signals: Arc::clone(self), run, signal }
    }

    fn channel(&self, topic: Topic) -> &Arc<Channel> {
        match topic {
            Topic::Queue => &self.queue,
            Topic::Events => &self.events,
            Topic::Brain => &self.brain,
            Topic::Cancels => &self.cancels,
        }
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<RunId, Arc<Channel>>> {
        // Nothing that holds the lock can panic half-way through a change.
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long to wait before looking again without a signal, for somebody who looks this often if others cannot be heard.
pub(crate) fn net(ctx: &Ctx, unheard: Duration) -> Duration {
    if ctx.store.receives_notifications() { unheard.max(2 * ctx.engine.config.poll) } else { unheard }
}

/// Those who wait are woken in the order in which they began to, so that a simulation sees the same order each time.
#[derive(Default)]
struct Channel {
    count: AtomicU64,
    notified: Notify,
}

impl Channel {
    fn notify(&self) {
        self.count.fetch_add(1, Ordering::SeqCst);
        self.notified.notify_waiters();
    }
}

/// What one who waits has seen of a channel.
pub(crate) struct Signal {
    channel: Arc<Channel>,
    seen: u64,
}

impl Signal {
    fn of(channel: &Arc<Channel>) -> Signal {
        Signal { channel: Arc::clone(channel), seen: channel.count.load(Ordering::SeqCst) }
    }

    /// Returns when it was notified since this was last called, or since it was made. Whoever is cancelled misses nothing.
    pub(crate) async fn changed(&mut self) {
        loop {
            let mut notified = pin!(self.channel.notified.notified());
            notified.as_mut().enable();
            let count = self.channel.count.load(Ordering::SeqCst);
            if count != self.seen {
                self.seen = count;
                return;
            }
            notified.await;
        }
    }
}

/// The signal of one Run. With the last one of a Run its channel goes.
pub(crate) struct RunSignal {
    signals: Arc<Signals>,
    run: RunId,
    signal: Signal,
}

impl RunSignal {
    pub(crate) async fn changed(&mut self) {
        self.signal.changed().await;
    }
}

impl Drop for RunSignal {
    fn drop(&mut self) {
        let mut runs = self.signals.runs();
        // The map has one, this has one, and more are made only while the map is locked.
        if Arc::strong_count(&self.signal.channel) == 2 {
            runs.remove(&self.run);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    use uuid::Uuid;

    use super::*;

    fn is_ready(future: impl Future) -> bool {
        pin!(future).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn a_ring_between_two_waits_is_heard_once() {
        let signals = Signals::default();
        let mut queue = signals.on(Topic::Queue);
        assert!(!is_ready(queue.changed()), "nothing was notified since it was made");
        signals.publish(&Changes::everything());
        signals.publish(&Changes::everything());
        assert!(is_ready(queue.changed()));
        assert!(!is_ready(queue.changed()));
        assert!(!is_ready(signals.places().changed()), "what is not in the database is not notified by it");
    }

    #[test]
    fn the_bell_of_a_run_goes_with_the_last_who_waits() {
        let signals = Arc::new(Signals::default());
        let run = RunId(Uuid::from_u128(7));
        let (mut first, second) = (signals.run(run), signals.run(run));
        drop(second);
        signals.publish(&Changes::everything());
        assert!(is_ready(first.changed()));
        drop(first);
        assert!(signals.runs().is_empty());
    }
}
