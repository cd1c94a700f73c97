//! Triggers: Events are read from the log by a cursor, and every match becomes a Run, in one batch with the cursor's move.
//! So no Event is missed and none fires twice, with any number of servers. If there is a free slot, this node has the Run
//! from the start, without a claim; otherwise it is queued.

mod debounce;
mod expression;
mod firing;
mod index;
mod notify;
mod payload;
mod progress;
mod rehearsal;
mod starting;

use sandbox::CancellationToken;
use store::Topic;

pub use self::expression::{ExpressionError, check};
pub(crate) use self::expression::{lacking, looked_at};
pub(crate) use self::firing::input;
pub(crate) use self::index::{Live, Triggers};
pub(crate) use self::payload::completed;
pub use self::rehearsal::{Verdict, judge, rehearse};
use crate::ctx::Ctx;
use crate::engine;
use crate::error::Error;

/// Events that are dealt with in one batch: few while there are few, because the store reads those more quickly.
const FEW: u32 = 16;
const MANY: u32 = 200;

/// Matches Events until it is stopped.
pub async fn watch(ctx: Ctx, stop: CancellationToken) {
    let mut events = ctx.signals.on(Topic::Events);
    while !stop.is_cancelled() {
        let at = ctx.clock.now() + ctx.engine.config.poll;
        warn_of(deal(&ctx, &stop).await.map(drop));
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            // Before the signal, which may never stop.
            () = ctx.engine.unflushed.due(&ctx) => {
                warn_of(ctx.engine.unflushed.flush(&ctx).await);
                continue;
            }
            () = ctx.clock.wait_until(at) => {}
            () = events.rung() => continue,
        }
        warn_of(ctx.triggers.progress.settle(&ctx).await);
    }
}

fn warn_of(done: Result<(), Error>) {
    match done {
        // The store tells of an outage, once.
        Err(error) if !error.is_passing() => tracing::warn!("cannot match triggers: {error}"),
        _ => {}
    }
}

/// Deals with all Events there are, and leaves the Runs to the queue. Says how many there are.
pub async fn catch_up(ctx: &Ctx) -> Result<usize, Error> {
    let queued = flushed(ctx, None).await?;
    ctx.triggers.progress.settle(ctx).await?;
    Ok(queued)
}

/// Handles all Events there are, and starts Runs here while there are free slots, until it is stopped.
pub async fn deal(ctx: &Ctx, stop: &CancellationToken) -> Result<usize, Error> {
    flushed(ctx, Some(stop)).await
}

/// Sees to it that what has happened survives a power failure where a chain ends, or has gone on for a while.
async fn flushed(ctx: &Ctx, stop: Option<&CancellationToken>) -> Result<usize, Error> {
    let dealt = fire_all(ctx, stop).await;
    let unflushed = &ctx.engine.unflushed;
    if !matches!(dealt, Ok(1..)) || unflushed.is_due(ctx.clock.now()) {
        unflushed.flush(ctx).await?;
    }
    dealt
}

async fn fire_all(ctx: &Ctx, stop: Option<&CancellationToken>) -> Result<usize, Error> {
    let (mut started, mut at_once) = (0, FEW);
    loop {
        let from = ctx.triggers.progress.reached(ctx).await?;
        let events = ctx.store.events_after(from.looked_at, at_once).await?;
        let Some(last) = events.last() else { return Ok(started) };
        let mut firings = from.firings(last.seq);
        for event in &events {
            firing::fire(ctx, event, &mut firings).await?;
        }
        let places = stop.map(|stop| starting::take_places(ctx, stop, &mut firings.runs)).unwrap_or_default();
        let _claiming = ctx.engine.claiming.read().await;
        // A read of many may be short because they are large.
        let is_short = events.len() < at_once as usize;
        let is_end = is_short && at_once == FEW;
        at_once = if is_short { FEW } else { MANY };
        if ctx.triggers.progress.record(ctx, from, &firings).await? {
            notify::call(ctx, &events);
            started += firings.runs.len();
            starting::start(ctx, firings.runs, places);
            if is_end {
                return Ok(started);
            }
        } else {
            // Those that are passed over may have told of a change of the brain.
            ctx.triggers.all(ctx).await?;
        }
    }
}

/// Carries out what is queued and due, and what that triggers, until nothing is left to do. Says how many Runs were
/// triggered.
pub async fn drain(ctx: &Ctx) -> Result<usize, Error> {
    let (mut triggered, never) = (0, CancellationToken::new());
    loop {
        // Asked first: what ends after the look at its Events has still to be looked at.
        let was_busy = engine::is_busy(ctx);
        let fired = deal(ctx, &never).await?;
        triggered += fired;
        let started = engine::round(ctx).await?;
        if fired == 0 && started == 0 && !was_busy {
            ctx.triggers.progress.settle(ctx).await?;
            return Ok(triggered);
        }
        if engine::is_busy(ctx) {
            tokio::select! {
                biased;
                () = engine::one_ended(ctx) => {}
                () = ctx.engine.unflushed.due(ctx) => ctx.engine.unflushed.flush(ctx).await?,
            }
        }
    }
}
