//! Runs whose node is gone: those that can be resumed are queued again and continue from their journal, the others end as
//! `Lost`.

use model::ids::{NodeId, RunId};
use model::run::{End, Lease, LeftBehind, Next, Run};

use crate::ctx::Ctx;
use crate::engine::execution::host::Collected;
use crate::engine::execution::store_next::store_next;
use crate::error::Error;

/// Handles all Runs whose lease has run out. Says how many.
pub(crate) async fn recover(ctx: &Ctx) -> Result<usize, Error> {
    recover_from(ctx, &[]).await
}

/// Also with those of nodes that are known to be gone.
pub async fn recover_from(ctx: &Ctx, gone: &[NodeId]) -> Result<usize, Error> {
    let lost = ctx.store.lost_runs(ctx.clock.now(), gone).await?;
    let count = lost.len();
    for run in lost {
        let Some(lease) = run.lease else { continue };
        // A machine that slept finds its own leases run out; what it still has is not lost, and what it does not have it knows
        // more about.
        let id = run.run_id;
        if lease.node != ctx.engine.node
            && let Err(error) = recover_run(ctx, run, lease, LeftBehind::Begun).await
        {
            warn_of(id, &error);
        }
    }
    Ok(count)
}

/// One that cannot be handled keeps nobody from handling the others.
pub(crate) fn warn_of(run: RunId, error: &Error) {
    if !error.is_passing() {
        tracing::warn!(run.id = %run, "run {run} was abandoned and cannot be recovered: {error}");
    }
}

pub(crate) async fn recover_run(ctx: &Ctx, run: Run, lease: Lease, left: LeftBehind) -> Result<(), Error> {
    ctx.metrics.recover();
    let (id, name) = (run.run_id, run.key.name.clone());
    tracing::warn!(run.id = %id, function.name = %name, "run {id} of `{name}` was abandoned by its server");
    let next = run.recovered(left, ctx.clock.now());
    end(ctx, run, lease, next).await.map(drop)
}

/// Ends a Run that cannot be executed at all.
pub(crate) async fn fail(ctx: &Ctx, run: Run, lease: Lease, error: &Error) -> Result<Run, Error> {
    end(ctx, run, lease, Next::End(End::failed("NotExecuted", error.to_string(), None))).await
}

async fn end(ctx: &Ctx, run: Run, lease: Lease, next: Next) -> Result<Run, Error> {
    match store_next(ctx, run.clone(), lease, next, Collected::default()).await {
        Ok(run) => {
            if run.state.is_final() {
                ctx.metrics.end(&run);
                ctx.traces.end(&run, &ctx.metrics);
            }
            Ok(run)
        }
        // Someone else was quicker.
        Err(Error::LeaseLost { .. }) => Ok(run),
        Err(error) => Err(error),
    }
}
