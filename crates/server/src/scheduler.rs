//! The door for time: asks when a Schedule is due next, and has it tick then. What a tick starts is decided in `app::schedules`.

use jiff::Timestamp;
use sandbox::CancellationToken;
use store::Topic;

use crate::app::schedules::agenda::Agenda;
use crate::ctx::Ctx;
use crate::error::Error;
use crate::signals;

/// Ticks until it is stopped.
pub async fn keep_time(ctx: Ctx, stop: CancellationToken) {
    let (mut agenda, mut brain) = (Agenda::default(), ctx.signals.on(Topic::Brain));
    while !stop.is_cancelled() {
        // Schedules may be changed meanwhile by somebody who is not heard.
        let look = ctx.clock.now() + signals::net(&ctx, ctx.engine.config.poll);
        let next = match agenda.round(&ctx).await {
            Ok(next) => next,
            // The store tells of an outage, once.
            Err(error) if error.is_passing() => None,
            Err(error) => {
                tracing::warn!("cannot read schedules: {error}");
                None
            }
        };
        let at = next.map_or(look, |next| next.min(look));
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = brain.changed() => {}
            () = ctx.clock.wait_until(at) => {}
        }
    }
}

/// Starts all that is due, and says when the next tick is.
pub async fn round(ctx: &Ctx) -> Result<Option<Timestamp>, Error> {
    Agenda::default().round(ctx).await
}
