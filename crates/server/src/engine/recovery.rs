//! Runs whose node is gone: those that can be are queued again and resumed from their journal, the others end `Lost`.

use model::ids::NodeId;
use model::run::{Ending, Lease, Run, RunState};
use store::{Durability, Finished};

use crate::app::error::Error;
use crate::ctx::Ctx;
use crate::engine::outcome::End;

/// Deals with all Runs whose lease has run out. Says how many.
pub(crate) async fn recover(ctx: &Ctx) -> Result<usize, Error> {
    recover_from(ctx, &[]).await
}

/// Also with those of nodes that are known to be gone.
pub async fn recover_from(ctx: &Ctx, gone: &[NodeId]) -> Result<usize, Error> {
    let lost = ctx.store.lost_runs(ctx.clock.now(), gone).await?;
    let count = lost.len();
    for run in lost {
        let Some(lease) = run.lease else { continue };
        // A machine that slept finds its own leases run out; what still runs here is not lost.
        if lease.node == ctx.engine.node && ctx.engine.running.has(run.run_id) {
            continue;
        }
        let (id, name) = (run.run_id, &run.key.name);
        tracing::warn!(run.id = %id, function.name = %name, "run {id} of `{name}` was left behind by its server");
        if run.cancelled.is_some() {
            end(ctx, run, lease, End::cancelled(None)).await?;
        } else if run.how.resumable {
            ctx.store.requeue_run(run.run_id, lease, ctx.clock.now(), run.attempt, None).await?;
            ctx.engine.queue.notify_one();
        } else {
            let why = "the server that ran it went away; it may have had effects that are not steps, so it is not \
                       run again by itself. Rerun it, or declare it `idempotent=True`";
            end(ctx, run, lease, End::failed("Lost", why, Some(Ending::Lost))).await?;
        }
    }
    Ok(count)
}

/// Ends a Run that cannot be carried out at all.
pub(crate) async fn fail(ctx: &Ctx, run: Run, lease: Lease, error: &Error) -> Result<Run, Error> {
    end(ctx, run, lease, End::failed("NotExecuted", error.to_string(), None)).await
}

async fn end(ctx: &Ctx, mut run: Run, lease: Lease, end: End) -> Result<Run, Error> {
    run.state = end.state;
    run.ending = end.ending;
    run.error = end.error;
    run.finished_at = Some(ctx.clock.now());
    let recorded = if run.is_kept() { run.clone() } else { run.forgotten() };
    let finished = Finished {
        run_id: run.run_id,
        lease,
        state: run.state,
        ending: run.ending,
        output: None,
        error: recorded.error.clone(),
        usage: None,
        finished_at: ctx.clock.now(),
        calls: Vec::new(),
        output_chunks: Vec::new(),
        events: vec![super::execution::event(&recorded, None)],
        forget: !run.is_kept(),
    };
    if ctx.store.finish_run(&finished, Durability::Power).await? {
        ctx.metrics.end(&run);
        ctx.traces.end(&run, &ctx.metrics);
    }
    ctx.engine.ring_events();
    debug_assert_ne!(run.state, RunState::Running);
    Ok(run)
}
