//! Wakes whoever waits for a change. The store says what each batch has changed, here and, on PostgreSQL, in other processes; this
//! rings those who wait for it. Nobody else rings, except for what is not in the database, a place that becomes free, and for what is too
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
use store::{Changes, Settled, Topic};
use tokio::sync::Notify;

use crate::ctx::Ctx;

/// What everybody in this process waits on.
#[derive(Default)]
pub(crate) struct Signals {
    queue: Arc<Bell>,
    events: Arc<Bell>,
    brain: Arc<Bell>,
    cancels: Arc<Bell>,
    places: Arc<Bell>,
    graphs: Arc<Bell>,
    /// Those of Runs that somebody waits for.
    runs: Mutex<HashMap<RunId, Arc<Bell>>>,
}

impl Signals {
    /// Rings for all that has changed.
    pub(crate) fn hear(&self, changes: &Changes) {
        match changes.settled() {
            Settled::Any => self.runs().values().for_each(|bell| bell.ring()),
            Settled::These(settled) if settled.is_empty() => {}
            Settled::These(settled) => {
                let runs = self.runs();
                settled.iter().filter_map(|run| runs.get(run)).for_each(|bell| bell.ring());
            }
        }
        for topic in Topic::ALL.into_iter().filter(|topic| changes.has(*topic)) {
            self.bell(topic).ring();
        }
    }

    /// From now on.
    pub(crate) fn on(&self, topic: Topic) -> Signal {
        Signal::of(self.bell(topic))
    }

    /// Rings when a place for Runs from the queue becomes free here.
    pub(crate) fn places(&self) -> Signal {
        Signal::of(&self.places)
    }

    pub(crate) fn place_freed(&self) {
        self.places.ring();
    }

    /// Rings when something of a Run of a Graph was journaled here.
    pub(crate) fn graphs(&self) -> Signal {
        Signal::of(&self.graphs)
    }

    pub(crate) fn graph_journaled(&self) {
        self.graphs.ring();
    }

    /// Rings when this Run ends or begins to wait.
    pub(crate) fn run(self: &Arc<Self>, run: RunId) -> RunSignal {
        let signal = Signal::of(self.runs().entry(run).or_default());
        RunSignal { signals: Arc::clone(self), run, signal }
    }

    fn bell(&self, topic: Topic) -> &Arc<Bell> {
        match topic {
            Topic::Queue => &self.queue,
            Topic::Events => &self.events,
            Topic::Brain => &self.brain,
            Topic::Cancels => &self.cancels,
        }
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<RunId, Arc<Bell>>> {
        // Nothing that holds the lock can panic half-way through a change.
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long to wait before looking again without a signal, for somebody who looks this often if others cannot be heard.
pub(crate) fn net(ctx: &Ctx, unheard: Duration) -> Duration {
    if ctx.store.hears_others() { unheard.max(2 * ctx.engine.config.poll) } else { unheard }
}

/// Those who wait are woken in the order in which they began to, so that a simulation sees the same order each time.
#[derive(Default)]
struct Bell {
    rings: AtomicU64,
    rung: Notify,
}

impl Bell {
    fn ring(&self) {
        self.rings.fetch_add(1, Ordering::SeqCst);
        self.rung.notify_waiters();
    }
}

/// What one who waits has heard of a bell.
pub(crate) struct Signal {
    bell: Arc<Bell>,
    heard: u64,
}

impl Signal {
    fn of(bell: &Arc<Bell>) -> Signal {
        Signal { bell: Arc::clone(bell), heard: bell.rings.load(Ordering::SeqCst) }
    }

    /// Returns when it was rung since this was last called, or since it was made. Whoever is cancelled misses nothing.
    pub(crate) async fn rung(&mut self) {
        loop {
            let mut rung = pin!(self.bell.rung.notified());
            rung.as_mut().enable();
            let rings = self.bell.rings.load(Ordering::SeqCst);
            if rings != self.heard {
                self.heard = rings;
                return;
            }
            rung.await;
        }
    }
}

/// The signal of one Run. With the last one of a Run its bell goes.
pub(crate) struct RunSignal {
    signals: Arc<Signals>,
    run: RunId,
    signal: Signal,
}

impl RunSignal {
    pub(crate) async fn rung(&mut self) {
        self.signal.rung().await;
    }
}

impl Drop for RunSignal {
    fn drop(&mut self) {
        let mut runs = self.signals.runs();
        // The map has one, this has one, and more are made only while the map is locked.
        if Arc::strong_count(&self.signal.bell) == 2 {
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
        assert!(!is_ready(queue.rung()), "nothing was rung since it was made");
        signals.hear(&Changes::everything());
        signals.hear(&Changes::everything());
        assert!(is_ready(queue.rung()));
        assert!(!is_ready(queue.rung()));
        assert!(!is_ready(signals.places().rung()), "what is not in the database is not rung by it");
    }

    #[test]
    fn the_bell_of_a_run_goes_with_the_last_who_waits() {
        let signals = Arc::new(Signals::default());
        let run = RunId(Uuid::from_u128(7));
        let (mut first, second) = (signals.run(run), signals.run(run));
        drop(second);
        signals.hear(&Changes::everything());
        assert!(is_ready(first.rung()));
        drop(first);
        assert!(signals.runs().is_empty());
    }
}
