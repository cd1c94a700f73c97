//! The keeper: hears when a cell ends while it waits, and lets go what has waited too long.

use std::sync::{Arc, Weak};
use std::task::{Wake, Waker};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::config::Config;
use crate::pool::{Shared, lock};

/// How often cells that wait for their next job are looked at.
const LOOK: Duration = Duration::from_millis(250);

/// What cells that wait are guarded with.
#[derive(Default)]
pub(super) struct IdleWaker {
    rung: Notify,
}

impl Wake for IdleWaker {
    fn wake(self: Arc<IdleWaker>) {
        self.rung.notify_one();
    }
}

impl IdleWaker {
    pub(super) fn waker(self: &Arc<IdleWaker>) -> Waker {
        Waker::from(Arc::clone(self))
    }
}

pub(super) async fn keep(shared: Weak<Shared>, idle_waker: Arc<IdleWaker>) {
    let Some(period) = shared.upgrade().map(|shared| period(&shared.setting.config)) else { return };
    let (mut rounds, mut looks) = (every(period), every(LOOK));
    let mut anything_warm = false;
    loop {
        let duty = tokio::select! {
            () = idle_waker.rung.notified() => Shared::replace_ended,
            _ = rounds.tick() => Shared::drop_idle,
            _ = looks.tick(), if anything_warm => Shared::look,
        };
        let Some(shared) = shared.upgrade() else { return };
        duty(&shared);
        anything_warm = shared.warm.is_watched();
    }
}

fn every(period: Duration) -> Interval {
    let mut interval = interval_at(Instant::now() + period, period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}

/// Nothing waits longer than a quarter more than it may.
fn period(config: &Config) -> Duration {
    let shortest = config.warm_idle.min(config.warm_age).min(config.environment_idle);
    (shortest / 4).clamp(Duration::from_millis(5), Duration::from_secs(60))
}

impl Shared {
    fn replace_ended(&self) {
        self.warm.drop_ended();
        for nest in lock(&self.nests).values() {
            nest.replace_ended();
        }
    }

    fn look(&self) {
        self.warm.drop_busy();
    }

    fn drop_idle(&self) {
        let now = Instant::now();
        self.warm.drop_old(now);
        let idle = self.setting.config.environment_idle;
        lock(&self.nests).retain(|_, nest| {
            let stays = now.saturating_duration_since(nest.last_used()) < idle;
            if !stays {
                nest.retire();
            }
            stays
        });
    }
}
