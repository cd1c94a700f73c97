//! Triggered Runs that start at once on this node: what would be queued and claimed immediately is recorded as claimed.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use model::run::Run;
use sandbox::CancellationToken;
use tokio::sync::OwnedSemaphorePermit;

use crate::ctx::Ctx;
use crate::engine;

/// Takes places for Runs, and makes those that have one this node's. What it answers goes with the first Runs of the list:
/// they are those that got a place.
pub(super) fn take_places(
    ctx: &Ctx,
    stop: &CancellationToken,
    runs: &mut [Run],
) -> Vec<OwnedSemaphorePermit> {
    // Those that need nobody's leave first: whose turn the others are, the queue knows.
    runs.sort_by_key(|run| !is_free(run));
    let mut places = Vec::new();
    for run in runs.iter_mut().take_while(|run| is_free(run)) {
        // Looked at before each place is taken: whoever waits for the end of all that is under way has not seen it yet. And
        // nobody is to overtake what is queued already.
        if stop.is_cancelled() || !ctx.engine.executes() || ctx.engine.behind.load(Ordering::Relaxed) {
            break;
        }
        let Ok(place) = Arc::clone(&ctx.engine.places).try_acquire_owned() else { break };
        places.push(place);
        *run = run.clone().begun(engine::lease(ctx));
    }
    places
}

fn is_free(run: &Run) -> bool {
    run.how.due_at.is_none() && run.how.concurrency.is_none()
}

/// Starts those that have places; the others are queued.
pub(super) fn start(ctx: &Ctx, runs: Vec<Run>, places: Vec<OwnedSemaphorePermit>) {
    for (run, place) in runs.into_iter().zip(places) {
        engine::start(ctx, run, place);
    }
}
