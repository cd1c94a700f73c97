//! Time, handed in.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use tokio::sync::watch;

/// The machine's clock, or one that a test moves.
#[derive(Clone, Debug)]
pub enum Clock {
    System,
    Still(watch::Sender<Timestamp>),
}

/// A machine's clock may be set while somebody waits, so nobody waits longer than this without looking again.
const LOOK: Duration = Duration::from_secs(30);

impl Clock {
    /// A clock that stands at a time until it is moved.
    pub fn still(at: Timestamp) -> Clock {
        Clock::Still(watch::Sender::new(at))
    }

    /// Moves a clock that stands; the machine's goes by itself.
    pub fn advance(&self, by: Duration) {
        if let Clock::Still(at) = self {
            at.send_modify(|at| *at += by);
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
            Clock::Still(at) => {
                // The sender is held here, so waiting ends only when the time has come.
                let _ = at.subscribe().wait_for(|at| *at >= until).await;
            }
        }
    }

    // The one place that reads the machine's clock.
    #[allow(clippy::disallowed_methods)]
    pub fn now(&self) -> Timestamp {
        match self {
            // Stored times have microseconds; what is handed out must read back as it was.
            Clock::System => Timestamp::from_microsecond(Timestamp::now().as_microsecond())
                .unwrap_or(Timestamp::UNIX_EPOCH),
            Clock::Still(at) => *at.borrow(),
        }
    }
}
