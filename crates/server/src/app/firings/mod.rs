//! Firings: what live Triggers start because of Events. Each starts with the Access of whoever applied it.
//!
//! Events are read from the log by a cursor. The Runs that a batch of them starts, the record of the firings and the cursor's move are
//! one transaction, so no Event is missed and none fires twice, with any number of servers.

mod debounce;
mod firing;
mod notice;
mod starting;

use model::event::Event;
use sandbox::CancellationToken;

use crate::ctx::Ctx;
use crate::error::Error;

/// Events that were looked at.
pub(crate) struct Batch {
    pub(crate) events: Vec<Event>,
    /// How many Runs they started; absent if another server had handled them.
    pub(crate) started: Option<usize>,
}

/// Handles the next Events, at most so many, if there are any. Until `stop`, Runs start here at once while there are free slots; the
/// others are queued, and without `stop` all are.
pub(crate) async fn handle(
    ctx: &Ctx,
    most: u32,
    stop: Option<&CancellationToken>,
) -> Result<Option<Batch>, Error> {
    let from = ctx.triggers.progress.reached(ctx).await?;
    let events = ctx.store.events_after(from.looked_at, most).await?;
    let Some(last) = events.last() else { return Ok(None) };
    let mut firings = from.firings(last.seq);
    for event in &events {
        firing::fire(ctx, event, &mut firings).await?;
    }
    let places = stop.map(|stop| starting::take_places(ctx, stop, &mut firings.runs)).unwrap_or_default();
    let _claiming = ctx.engine.claiming.read().await;
    if !ctx.triggers.progress.record(ctx, from, &firings).await? {
        // Events that are passed over may have told of a change of the brain.
        ctx.triggers.all(ctx).await?;
        return Ok(Some(Batch { events, started: None }));
    }
    let started = firings.runs.len();
    starting::start(ctx, firings.runs, places);
    Ok(Some(Batch { events, started: Some(started) }))
}

/// Stores how far the Events were looked at.
pub(crate) async fn save_cursor(ctx: &Ctx) -> Result<(), Error> {
    ctx.triggers.progress.save_cursor(ctx).await
}
