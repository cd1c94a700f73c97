//! The queue's worker: claims due Runs while there are free slots, and executes each on its own task.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::Timestamp;
use model::entry::EntryKind;
use model::run::step::Step;
use model::run::{Lease, Run};
use sandbox::CancellationToken;
use store::Topic;
use tokio::sync::OwnedSemaphorePermit;

use super::admission::CellPlace;
use super::database_retry::retry_while_unavailable;
use super::leases::keep_leases;
use super::owned_runs::{Interruption, OwnedRun};
use super::recovery;
use crate::ctx::Ctx;
use crate::engine::execution::{Execution, execute};
use crate::error::Error;
use crate::prepare::Prepared;
use crate::secrets::redaction::Redaction;

/// Who waits for a time is looked for no more often than this: while Runs end, the queue is looked at after each of them.
const WAKE: Duration = Duration::from_millis(100);
/// So long a server that stops waits for what its Runs have to store, if the database cannot be used.
const GRACE: Duration = Duration::from_secs(5);

/// How a worker is stopped: it takes no more Runs, and Runs that are under way go on until they are to end, too.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    pub taking: CancellationToken,
    pub running: CancellationToken,
}

/// Works until it is stopped; running Runs then end or are released.
pub async fn work(ctx: Ctx, stop: CancellationToken) {
    work_until(ctx, Stop { taking: stop.clone(), running: stop }).await;
}

/// Works until it takes no more and nothing is under way.
pub async fn work_until(ctx: Ctx, stop: Stop) {
    let keeping = tokio::spawn(keep_leases(ctx.clone()));
    if !ctx.engine.executes() {
        stop.taking.cancelled().await;
    }
    let (mut queue, mut places) = (ctx.signals.on(Topic::Queue), ctx.signals.places());
    let mut wakes_at = Timestamp::MIN;
    while !stop.taking.is_cancelled() {
        // Read before the look, so that what becomes due during it is not waited for.
        let now = ctx.clock.now();
        let at = now + ctx.engine.config.poll;
        let wakes = now >= wakes_at;
        if wakes {
            wakes_at = now + WAKE;
        }
        match look(&ctx, &stop.taking, wakes).await {
            // The store tells of an outage, once.
            Err(error) if !error.is_passing() => tracing::warn!("cannot read the queue: {error}"),
            _ => {}
        }
        tokio::select! {
            biased;
            () = stop.taking.cancelled() => {}
            () = queue.changed() => {}
            () = places.changed() => {}
            () = ctx.clock.wait_until(at) => {}
        }
    }
    tokio::select! {
        biased;
        () = all_ended(&ctx) => {}
        () = stop.running.cancelled() => {
            ctx.engine.running.interrupt_all(&Interruption::Stopped);
            tokio::select! {
                biased;
                () = all_ended(&ctx) => {}
                () = ctx.clock.wait_until(ctx.clock.now() + GRACE) => {
                    give_up(&ctx);
                    all_ended(&ctx).await;
                }
            }
        }
    }
    keeping.abort();
    // Whoever cannot say so is forgotten later.
    if ctx.store.outage().is_none()
        && let Err(error) = ctx.store.node_stopped(ctx.engine.node).await
    {
        tracing::debug!("cannot record that this server has stopped: {error}");
    }
}

/// Stores nothing more for Runs if the database cannot be used: whoever finds them later handles them.
pub fn give_up(ctx: &Ctx) {
    ctx.engine.given_up.cancel();
}

/// Also those that someone waits for, and those that nobody waits for any more.
async fn all_ended(ctx: &Ctx) {
    let all = u32::try_from(ctx.engine.config.at_once).unwrap_or(u32::MAX);
    drop(ctx.engine.places.acquire_many(all).await);
    ctx.engine.running.all_ended().await;
}

/// Takes what is due and starts it. Says how many were started.
pub async fn round(ctx: &Ctx) -> Result<usize, Error> {
    look(ctx, &CancellationToken::new(), true).await
}

async fn look(ctx: &Ctx, stop: &CancellationToken, wakes: bool) -> Result<usize, Error> {
    let now = ctx.clock.now();
    if wakes {
        ctx.store.wake_runs(now).await?;
    }
    let mut places = free_places(ctx);
    // Asked after the places are taken: one that became free only after the stop is not used.
    if places.is_empty() || stop.is_cancelled() {
        ctx.engine.behind.store(true, Ordering::Relaxed);
        return Ok(0);
    }
    let _claiming = ctx.engine.claiming.read().await;
    let until = now + ctx.engine.config.lease;
    let most = u32::try_from(places.len()).unwrap_or(u32::MAX);
    let claimed = ctx.store.claim(ctx.engine.node, now, until, most).await?;
    let count = claimed.len();
    ctx.engine.behind.store(count == places.len(), Ordering::Relaxed);
    for (run, place) in claimed.into_iter().zip(places.drain(..)) {
        start(ctx, run, place);
    }
    Ok(count)
}

/// All places that nobody has; Triggers take some, too.
fn free_places(ctx: &Ctx) -> Vec<OwnedSemaphorePermit> {
    let place = || Arc::clone(&ctx.engine.places).try_acquire_owned().ok();
    std::iter::from_fn(place).collect()
}

/// Carries a Run that is this node's out, on a task of its own.
pub(crate) fn start(ctx: &Ctx, run: Run, place: OwnedSemaphorePermit) {
    let Some(claimed) = Claimed::take(ctx, run) else { return };
    let ctx = ctx.clone();
    tokio::spawn(async move {
        let id = claimed.run.run_id;
        if let Err(error) = resume(&ctx, claimed, None).await {
            tracing::warn!(run.id = %id, "run {id} was not executed to its end: {error}");
        }
        drop(place);
        ctx.signals.place_freed();
    });
}

/// A Run that this node has claimed and owns.
pub(crate) struct Claimed {
    run: Run,
    lease: Lease,
    owned: OwnedRun,
}

impl Claimed {
    /// Whoever claimed it holds [`Engine::claiming`](crate::engine::Engine) until it is owned.
    pub(crate) fn take(ctx: &Ctx, run: Run) -> Option<Claimed> {
        let lease = run.lease?;
        let owned = OwnedRun::take(&ctx.engine.running, run.run_id, lease);
        Some(Claimed { run, lease, owned })
    }
}

/// Whether a queued Run is being executed here.
pub fn is_busy(ctx: &Ctx) -> bool {
    ctx.engine.places.available_permits() < ctx.engine.config.at_once
}

/// Returns when a Run from the queue has ended here, or none is under way.
pub async fn one_ended(ctx: &Ctx) {
    let mut places = ctx.signals.places();
    if is_busy(ctx) {
        places.changed().await;
    }
}

/// How many Runs are being executed here, from the queue or not.
pub fn under_way(ctx: &Ctx) -> usize {
    ctx.engine.running.count()
}

/// How many Runs this node has recovered that no node executed any more.
pub fn recovered(ctx: &Ctx) -> u64 {
    ctx.metrics.recovered()
}

/// How many places for Runs are taken here, of all kinds.
pub fn places_taken(ctx: &Ctx) -> usize {
    let engine = &ctx.engine;
    let queued = engine.config.at_once - engine.places.available_permits();
    queued + engine.admission.taken() + engine.nested.iter().map(|level| level.taken()).sum::<usize>()
}

/// Executes a Run that this node has claimed. It has a place of the queue, or this one.
pub(crate) async fn resume(ctx: &Ctx, claimed: Claimed, place: Option<CellPlace>) -> Result<Run, Error> {
    let Claimed { run, lease, owned } = claimed;
    let (prepared, steps) = match retry_while_unavailable(ctx, || what_it_needs(ctx, &run, lease)).await {
        Ok(needed) => needed,
        Err(error) if error.is_passing() => return Err(error),
        Err(error) => return recovery::fail(ctx, run, lease, &error).await,
    };
    if lease.fence == 1 {
        let due = run.how.due_at.unwrap_or(run.created_at);
        ctx.metrics.waited(Duration::try_from(ctx.clock.now().duration_since(due)).unwrap_or_default());
    }
    let handed_over = Redaction::default();
    let execution =
        Execution { run, given: None, lease, prepared, steps, watch: None, handed_over, owned, place };
    execute(ctx, execution).await
}

/// What it loads, and what it asked for before. Whoever claims a Run first finds nothing that it asked for.
async fn what_it_needs(ctx: &Ctx, run: &Run, lease: Lease) -> Result<(Arc<Prepared>, Vec<Step>), Error> {
    let prepared = ctx.engine.closures.for_run(ctx, run).await?;
    // A Graph may have a million, and reads what it needs of them itself.
    let needs_steps = lease.fence > 1 && run.key.kind != EntryKind::Graph;
    let steps = if needs_steps { ctx.store.steps(run.run_id).await? } else { Vec::new() };
    Ok((prepared, steps))
}

/// How long a claim lasts.
pub(crate) fn lease(ctx: &Ctx) -> Lease {
    let until = ctx.clock.now() + ctx.engine.config.lease;
    Lease { node: ctx.engine.node, fence: 1, until }
}
