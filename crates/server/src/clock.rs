//! Time, handed in.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;

/// The machine's clock, or one that a test moves.
#[derive(Clone, Debug)]
pub enum Clock {
    System,
    Still(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stands at a time until it is moved.
    pub fn still(at: Timestamp) -> Clock {
        Clock::Still(Arc::new(AtomicI64::new(at.as_microsecond())))
    }

    // The one place that reads the machine's clock.
    #[allow(clippy::disallowed_methods)]
    pub fn now(&self) -> Timestamp {
        match self {
            // Stored times have microseconds; what is handed out must read back as it was.
            Clock::System => Timestamp::from_microsecond(Timestamp::now().as_microsecond())
                .unwrap_or(Timestamp::UNIX_EPOCH),
            Clock::Still(at) => {
                Timestamp::from_microsecond(at.load(Ordering::Relaxed)).unwrap_or(Timestamp::UNIX_EPOCH)
            }
        }
    }
}
