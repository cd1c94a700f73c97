//! Waits until Runs end, or wait for a person.

use std::time::Duration;

use model::access::Access;
use model::ids::RunId;
use model::run::{Run, RunState};
use store::Topic;

use super::DATABASE_WAIT;
use super::read::{get, recorded_run};
use crate::ctx::Ctx;
use crate::engine::{
    CellPlace, Claimed, InLine, resume, retry_while_unavailable, retry_while_unavailable_until,
};
use crate::error::Error;
use crate::signals;

/// Runs of processes that cannot be heard are polled this often.
const LOOK: Duration = Duration::from_millis(250);

/// Who is nested in a Run is seen through to its end; anyone else learns that it waits.
pub(super) async fn settled(ctx: &Ctx, id: RunId, nested: bool) -> Result<Run, Error> {
    if nested { see_through(ctx, id).await } else { wait_for(ctx, id, is_settled).await }
}

/// Waits for the end of a Run that another Run needs, and executes it here when it is its turn: were it left to the
/// queue, all places could be taken by Runs that wait for what is queued. It has a place of its level by then; it holds
/// none while it is not its turn, because others need theirs for it to come.
async fn see_through(ctx: &Ctx, id: RunId) -> Result<Run, Error> {
    let (mut settled, mut queue) = (ctx.signals.run(id), ctx.signals.on(Topic::Queue));
    let mut line = None;
    loop {
        let run = retry_while_unavailable(ctx, || recorded_run(ctx, id)).await?;
        if run.state.is_final() {
            return Ok(run);
        }
        let line = match &mut line {
            Some(line) => line,
            none => none.insert(InLine::new(ctx.engine.nested_cells(run.how.depth)?, &run.authority.holder)),
        };
        let now = ctx.clock.now();
        let due = run.how.due_at.filter(|due| *due > now);
        if run.state != RunState::Queued || due.is_some() {
            line.leave();
        } else if let Some(place) = line.take()
            && execute_queued(ctx, id, place).await?
        {
            continue;
        }
        let look = now + signals::net(ctx, LOOK);
        tokio::select! {
            biased;
            () = line.ready() => {}
            () = settled.changed() => {}
            () = queue.changed() => {}
            () = ctx.clock.wait_until(due.map_or(look, |due| due.min(look))) => {}
        }
    }
}

/// False if it is not its turn: it is not due yet, others use its concurrency key up, or somebody else was quicker. Whoever asks for it
/// may be interrupted meanwhile; what was claimed is executed all the same.
async fn execute_queued(ctx: &Ctx, id: RunId, place: CellPlace) -> Result<bool, Error> {
    let ctx = ctx.clone();
    let task = tokio::spawn(async move {
        let now = ctx.clock.now();
        let until = now + ctx.engine.config.lease;
        let claiming = ctx.engine.claiming.read().await;
        let run = ctx.store.claim_run(id, ctx.engine.node, now, until).await?;
        let Some(claimed) = run.and_then(|run| Claimed::take(&ctx, run)) else { return Ok(false) };
        drop(claiming);
        resume(&ctx, claimed, Some(place)).await.map(|_| true)
    });
    match task.await.unwrap_or(Err(Error::LeaseLost { run: id })) {
        // Whoever has it sees it through.
        Err(Error::LeaseLost { .. }) => Ok(false),
        executed => executed,
    }
}

/// Waits until a Run has ended, or waits for someone itself.
pub async fn wait(ctx: &Ctx, access: &Access, id: RunId) -> Result<Run, Error> {
    get(ctx, access, id).await?;
    wait_for(ctx, id, is_settled).await
}

fn is_settled(run: &Run) -> bool {
    run.state.is_final() || run.state == RunState::Waiting
}

/// Waits until a Run that waited has ended or waits for something else.
pub async fn wait_past(ctx: &Ctx, access: &Access, waited: &Run) -> Result<Run, Error> {
    let awaited = ctx.engine.awaited.wait_for(waited.run_id);
    get(ctx, access, waited.run_id).await?;
    let is_new = |run: &Run| run.state == RunState::Waiting && run.waiting != waited.waiting;
    let run = wait_for(ctx, waited.run_id, |run| run.state.is_final() || is_new(run)).await?;
    Ok(awaited.ended().unwrap_or(run))
}

async fn wait_for(ctx: &Ctx, id: RunId, there: impl Fn(&Run) -> bool) -> Result<Run, Error> {
    let mut settled = ctx.signals.run(id);
    loop {
        let until = ctx.clock.now() + DATABASE_WAIT;
        let run = match retry_while_unavailable_until(ctx, until, || recorded_run(ctx, id)).await {
            Err(Error::Store(source)) => return Err(Error::OfRun { run: id, source }),
            run => run?,
        };
        if there(&run) {
            return Ok(run);
        }
        tokio::select! {
            biased;
            () = settled.changed() => {}
            () = ctx.clock.wait_until(ctx.clock.now() + signals::net(ctx, LOOK)) => {}
        }
    }
}
