//! Stores what comes next for a Run that is no longer executing: its end, its wait, or its return to the queue.

use model::run::{End, Lease, Next, Recorded, Run};
use store::{Durability, Finished};

use super::host::Collected;
use super::schedule_failures::counted;
use crate::ctx::Ctx;
use crate::engine::node::database_retry::retry_while_unavailable;
use crate::error::Error;

/// Does not return before it is stored, or someone else has the Run, or this process gives up. Answers the Run as it is then, with
/// its whole output.
pub(crate) async fn store_next(
    ctx: &Ctx,
    run: Run,
    lease: Lease,
    next: Next,
    collected: Collected,
) -> Result<Run, Error> {
    let id = run.run_id;
    match next {
        Next::End(end) => return finish(ctx, run, lease, end, collected).await,
        Next::Suspend(waiting) => {
            let suspend = || async { Ok(ctx.store.suspend_run(id, lease, &waiting).await?) };
            if retry_while_unavailable(ctx, suspend).await? {
                return Ok(run.suspended(waiting));
            }
        }
        Next::Requeue(requeue) => {
            let (due, attempt, error) = (requeue.due_at, requeue.attempt, requeue.error.as_ref());
            let requeued = || async { Ok(ctx.store.requeue_run(id, lease, due, attempt, error).await?) };
            if retry_while_unavailable(ctx, requeued).await? {
                return Ok(run.requeued(requeue));
            }
        }
    }
    // Its end was asked for, or another node has it; which of the two, ending it shows.
    finish(ctx, run, lease, End::cancelled(None), collected).await
}

async fn finish(ctx: &Ctx, run: Run, lease: Lease, end: End, collected: Collected) -> Result<Run, Error> {
    let now = ctx.clock.now();
    let ended = run.ended(end, now);
    match record(ctx, &ended, lease, collected).await {
        Ok(()) => Ok(ended),
        Err(error) if error.is_passing() || matches!(error, Error::LeaseLost { .. }) => Err(error),
        // Were it left as it is, it would be executed again, and not be recorded again.
        Err(error) => {
            let why = format!("how it ended could not be recorded: {error}");
            let failed = ended.ended(End::failed("NotRecorded", why, None), now);
            record(ctx, &failed, lease, Collected::default()).await?;
            Ok(failed)
        }
    }
}

async fn record(ctx: &Ctx, run: &Run, lease: Lease, collected: Collected) -> Result<(), Error> {
    let Recorded { output, error, event } = run.recorded(ctx.engine.config.payload_bytes);
    let (is_kept, now) = (run.is_kept(), run.finished_at.unwrap_or_else(|| ctx.clock.now()));
    let mut finished = Finished {
        run_id: run.run_id,
        lease,
        state: run.state,
        ending: run.ending,
        events: vec![event],
        output,
        error,
        usage: run.usage,
        finished_at: now,
        calls: if is_kept { collected.calls.into_calls() } else { Vec::new() },
        output_chunks: if is_kept { collected.output } else { Vec::new() },
        forget: !is_kept,
        is_limited: run.how.concurrency.is_some(),
        wakes: run.parent.filter(|_| run.how.is_node),
        may_be_journaled: !collected.asked_nothing,
        failures: None,
    };
    let is_awaited = !is_kept && ctx.engine.awaited.end(run);
    // The start needs no more than that: what makes the end last makes everything before it last, too.
    let durability = match run.how.waited {
        // The turn of its graph that journals the end flushes both; without it, the node is executed again.
        _ if run.how.is_node && run.how.resumable => Durability::Process,
        true => ctx.engine.config.durability,
        false => ending_of_queued(run),
    };
    let stored = store_end(ctx, run, &mut finished, durability).await;
    if !matches!(stored, Ok(true)) {
        if is_awaited {
            ctx.engine.awaited.forget(run.run_id);
        }
        stored?;
        return Err(Error::LeaseLost { run: run.run_id });
    }
    if !run.how.waited && durability == Durability::Process {
        ctx.engine.unflushed.add(now);
    }
    Ok(())
}

/// Together with what it means for the Schedule that started the Run. If another failure of that was counted meanwhile, this is one more.
async fn store_end(
    ctx: &Ctx,
    run: &Run,
    finished: &mut Finished,
    durability: Durability,
) -> Result<bool, Error> {
    loop {
        let (error, at) = (finished.error.clone(), finished.finished_at);
        let (failures, told) = retry_while_unavailable(ctx, || counted(ctx, run, error.as_ref(), at)).await?;
        finished.failures = failures;
        finished.events.truncate(1);
        finished.events.extend(told);
        let finished = &*finished;
        match retry_while_unavailable(ctx, || async { Ok(ctx.store.finish_run(finished, durability).await?) })
            .await
        {
            Err(Error::Store(error)) if error.is_counted_meanwhile() => {}
            stored => return stored,
        }
    }
}

/// Without an ending that lasts, a Run is executed again after a power failure. One that may be is flushed a moment later, with
/// what it triggers.
fn ending_of_queued(run: &Run) -> Durability {
    if run.how.resumable { Durability::Process } else { Durability::Power }
}
