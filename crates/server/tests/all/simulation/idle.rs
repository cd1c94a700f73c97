//! When nothing can go on by itself: every task waits for a call to the database, for the clock, or for another task.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use store::testing::Gate;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;

#[derive(Default)]
pub(super) struct Idle {
    gate: Gate,
    is_wanted: AtomicBool,
    reached: Notify,
}

impl Idle {
    /// A runtime of one thread that says when it has nothing to do.
    pub(super) fn runtime(gate: &Gate) -> (Runtime, Arc<Idle>) {
        let idle = Arc::new(Idle { gate: gate.clone(), ..Idle::default() });
        let parking = Arc::clone(&idle);
        let runtime = Builder::new_current_thread()
            .enable_all()
            .on_thread_park(move || parking.parks())
            .build()
            .expect("a runtime can be started");
        (runtime, idle)
    }

    /// Returns when no task can go on, and no call that was let through is under way.
    pub(super) async fn wait(&self) {
        self.is_wanted.store(true, Ordering::Relaxed);
        self.reached.notified().await;
    }

    fn parks(&self) {
        if !self.gate.is_busy() && self.is_wanted.swap(false, Ordering::Relaxed) {
            self.reached.notify_one();
        }
    }
}
