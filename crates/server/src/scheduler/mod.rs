//! Schedules at work.

mod agenda;
mod tick;

use std::time::Duration;

use jiff::Timestamp;
use sandbox::CancellationToken;

pub use self::agenda::Agenda;
use crate::app::error::Error;
use crate::ctx::Ctx;

/// Schedules may change meanwhile, so nobody sleeps longer than this.
const LOOK: Duration = Duration::from_secs(1);

/// Ticks until it is told to stop.
pub async fn keep_time(ctx: Ctx, stop: CancellationToken) {
    let mut agenda = Agenda::default();
    while !stop.is_cancelled() {
        let look = ctx.clock.now() + LOOK;
        let next = match agenda.round(&ctx).await {
            Ok(next) => next,
            // The store tells of an outage, once.
            Err(error) if error.is_passing() => None,
            Err(error) => {
                tracing::warn!("cannot look at schedules: {error}");
                None
            }
        };
        let at = next.map_or(look, |next| next.min(look));
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = ctx.clock.wait_until(at) => {}
        }
    }
}

/// Starts all that is due, and says when the next tick is.
pub async fn round(ctx: &Ctx) -> Result<Option<Timestamp>, Error> {
    Agenda::default().round(ctx).await
}
