//! Time, passed in.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use tokio::sync::Notify;

/// The machine's clock, or one that a test moves.
#[derive(Clone, Debug)]
pub enum Clock {
    System,
    Fixed(Arc<Fixed>),
}

/// Those who wait for it are woken in the order in which they began to wait, so that a test sees the same order each time.
#[derive(Debug)]
pub struct Fixed {
    at: Mutex<Timestamp>,
    moved: Notify,
}

impl Fixed {
    fn at(&self) -> MutexGuard<'_, Timestamp> {
        // It is replaced as a whole.
        self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A machine's clock may be set while someone waits, so nobody waits longer than this without looking again.
const LOOK: Duration = Duration::from_secs(30);

impl Clock {
    /// A clock that stands at a time until it is moved.
    pub fn still(at: Timestamp) -> Clock {
        Clock::Fixed(Arc::new(Fixed { at: Mutex::new(at), moved: Notify::new() }))
    }

    /// Moves a clock that stands; the machine's goes by itself.
    pub fn advance(&self, by: Duration) {
        if let Clock::Fixed(still) = self {
            *still.at() += by;
            still.moved.notify_waiters();
        }
    }

    /// The clock as others take it.
    pub fn system_time(&self) -> Arc<dyn Fn() -> SystemTime + Send + Sync> {
        let clock = self.clone();
        Arc::new(move || SystemTime::from(clock.now()))
    }

    /// Returns when it is that late.
    #[allow(clippy::disallowed_methods, reason = "this is the place that waits for the machine's clock")]
    pub async fn wait_until(&self, until: Timestamp) {
        match self {
            Clock::System => loop {
                let Ok(left) = Duration::try_from(until.duration_since(self.now())) else { return };
                if left.is_zero() {
                    return;
                }
                tokio::time::sleep(left.min(LOOK)).await;
            },
            Clock::Fixed(still) => loop {
                let mut moved = std::pin::pin!(still.moved.notified());
                moved.as_mut().enable();
                if *still.at() >= until {
                    return;
                }
                moved.await;
            },
        }
    }

    // The one place that reads the machine's clock.
    #[allow(clippy::disallowed_methods)]
    pub fn now(&self) -> Timestamp {
        match self {
            // Stored times have microseconds; what is handed out must read back as it was.
            Clock::System => Timestamp::from_microsecond(Timestamp::now().as_microsecond())
                .unwrap_or(Timestamp::UNIX_EPOCH),
            Clock::Fixed(still) => *still.at(),
        }
    }
}
