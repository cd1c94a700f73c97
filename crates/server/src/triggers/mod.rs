//! The door for Events: has the Events of the log handled as they come, and calls the configured webhook for those that people hear of. What a
//! Trigger starts is decided in `app::firings`. If there is a free slot, this node has the Run from the start, without a claim;
//! otherwise it is queued.

mod webhook;

use sandbox::CancellationToken;
use store::Topic;

use crate::app::firings;
use crate::ctx::Ctx;
use crate::engine;
use crate::error::Error;

/// Events that are handled in one batch: few while there are few, because the store reads those more quickly.
const FEW: u32 = 16;
const MANY: u32 = 200;

/// Matches Events until it is stopped.
pub async fn watch(ctx: Ctx, stop: CancellationToken) {
    let mut events = ctx.signals.on(Topic::Events);
    while !stop.is_cancelled() {
        let at = ctx.clock.now() + ctx.engine.config.poll;
        warn_of(handle_events(&ctx, &stop).await.map(drop));
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            // Before the signal, which may never stop.
            () = ctx.engine.unflushed.due(&ctx) => {
                warn_of(ctx.engine.unflushed.flush(&ctx).await);
                continue;
            }
            () = ctx.clock.wait_until(at) => {}
            () = events.changed() => continue,
        }
        warn_of(firings::save_cursor(&ctx).await);
    }
}

fn warn_of(done: Result<(), Error>) {
    match done {
        // The store tells of an outage, once.
        Err(error) if !error.is_passing() => tracing::warn!("cannot match triggers: {error}"),
        _ => {}
    }
}

/// Handles all Events there are, and leaves the Runs to the queue. Says how many there are.
pub async fn catch_up(ctx: &Ctx) -> Result<usize, Error> {
    let queued = flushed(ctx, None).await?;
    firings::save_cursor(ctx).await?;
    Ok(queued)
}

/// Handles all Events there are, and starts Runs here while there are free slots, until it is stopped.
pub async fn handle_events(ctx: &Ctx, stop: &CancellationToken) -> Result<usize, Error> {
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
    let (mut started, mut most) = (0, FEW);
    while let Some(batch) = firings::handle(ctx, most, stop).await? {
        // A read of many may be short because they are large.
        let is_short = batch.events.len() < most as usize;
        let is_end = is_short && most == FEW;
        most = if is_short { FEW } else { MANY };
        let Some(runs) = batch.started else { continue };
        started += runs;
        webhook::call(ctx, &batch.events);
        if is_end {
            break;
        }
    }
    Ok(started)
}

/// Executes what is queued and due, and what that triggers, until nothing is left to do. Says how many Runs were
/// triggered.
pub async fn drain(ctx: &Ctx) -> Result<usize, Error> {
    let (mut triggered, never) = (0, CancellationToken::new());
    loop {
        // Asked first: what ends after the look at its Events has still to be looked at.
        let was_busy = engine::is_busy(ctx);
        let fired = handle_events(ctx, &never).await?;
        triggered += fired;
        let started = engine::round(ctx).await?;
        if fired == 0 && started == 0 && !was_busy {
            firings::save_cursor(ctx).await?;
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
