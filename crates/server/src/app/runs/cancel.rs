//! Cancels Runs.

use model::access::Access;
use model::access::verb::Verb;
use model::ids::RunId;
use model::run::RunState;

use super::read::touched;
use crate::ctx::Ctx;
use crate::engine::Interruption;
use crate::error::Error;

/// Ends a Run and everything it started, and what triggers started because of it as far as that may be touched. Says which Runs
/// are affected.
pub async fn cancel(ctx: &Ctx, access: &Access, id: RunId) -> Result<Vec<RunId>, Error> {
    access.may(Verb::CancelRun)?;
    let run = touched(ctx, access, id).await?;
    if run.state.is_final() && run.state != RunState::Cancelled {
        return Err(Error::RunEnded { run: id, state: run.state });
    }
    let affected = ctx.store.request_cancel(id, &access.actor, ctx.clock.now(), access.only()).await?;
    for run in &affected {
        ctx.engine.running.interrupt(*run, Interruption::Cancelled);
    }
    let mut seen = Vec::with_capacity(affected.len());
    for run in affected {
        let is_seen = access.only().is_all()
            || ctx.store.run(run).await?.is_some_and(|run| access.covers(run.key.name.as_str()));
        seen.extend(is_seen.then_some(run));
    }
    Ok(seen)
}
