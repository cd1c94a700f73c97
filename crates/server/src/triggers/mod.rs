//! Triggers at work: Events are read from the log by a cursor, and every match becomes a queued Run, in one batch with the
//! cursor's move. So no Event is missed and none fires twice, with any number of servers.

mod debounce;
mod expression;
mod firing;
mod index;
mod rehearsal;

use sandbox::CancellationToken;
use store::Firings;

pub use self::expression::{ExpressionError, check};
pub(crate) use self::firing::input;
pub(crate) use self::index::Triggers;
pub use self::rehearsal::{Verdict, judge, rehearse};
use crate::app::error::Error;
use crate::ctx::Ctx;
use crate::engine;

const CURSOR: &str = "triggers";
/// Events that are dealt with in one batch.
const AT_ONCE: u32 = 200;
/// Without a ring the log is looked at this often, for what other servers appended.
const LOOK: std::time::Duration = std::time::Duration::from_secs(1);

/// Matches Events until it is told to stop.
pub async fn watch(ctx: Ctx, stop: CancellationToken) {
    let mut appended = ctx.engine.appended();
    while !stop.is_cancelled() {
        let at = ctx.clock.now() + LOOK;
        if let Err(error) = catch_up(&ctx).await {
            tracing::warn!("cannot match triggers: {error}");
        }
        tokio::select! {
            () = stop.cancelled() => {}
            _ = appended.changed() => {}
            () = ctx.clock.wait_until(at) => {}
        }
    }
}

/// Deals with all Events there are. Says how many Runs were queued.
pub async fn catch_up(ctx: &Ctx) -> Result<usize, Error> {
    let mut queued = 0;
    loop {
        let from_seq = ctx.store.cursor(CURSOR).await?;
        let events = ctx.store.events_after(from_seq, AT_ONCE).await?;
        let Some(last) = events.last() else { return Ok(queued) };
        let to_seq = last.seq;
        let mut firings = Firings { cursor: CURSOR.to_owned(), from_seq, to_seq, ..Firings::default() };
        for event in &events {
            firing::fire(ctx, event, &mut firings).await?;
        }
        let count = firings.runs.len();
        // Somebody else may have dealt with them; then the next look is from where that one got to.
        if ctx.store.fire(&firings).await? && count > 0 {
            queued += count;
            ctx.engine.queue.notify_one();
        }
    }
}

/// Carries out what is queued and due, and what that triggers, until nothing is left to do. Says how many Runs were
/// triggered.
pub async fn drain(ctx: &Ctx) -> Result<usize, Error> {
    let mut triggered = 0;
    loop {
        // Asked first: what ends after the look at its Events has still to be looked at.
        let was_busy = engine::is_busy(ctx);
        let queued = catch_up(ctx).await?;
        triggered += queued;
        let started = engine::round(ctx).await?;
        if queued == 0 && started == 0 && !was_busy {
            return Ok(triggered);
        }
        if engine::is_busy(ctx) {
            engine::one_ended(ctx).await;
        }
    }
}
