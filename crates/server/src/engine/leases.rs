//! A node answers for what it carries out, and only for that: it keeps the leases of the Runs that it has in hand, and finds those
//! that are recorded as its own and that it does not have.

use model::run::{LeftBehind, Run};

use super::recovery;
use super::running::{Claim, Interruption};
use crate::app::error::Error;
use crate::ctx::Ctx;

/// Says again and again that this node lives, and deals with Runs that nobody carries out.
pub(crate) async fn keep_leases(ctx: Ctx) {
    let third = ctx.engine.config.lease / 3;
    let mut is_known = false;
    loop {
        let at = ctx.clock.now() + third;
        // The store tells of an outage, once.
        match answer_for_runs(&ctx, &mut is_known).await {
            Err(error) if !error.is_passing() => tracing::warn!("cannot answer for runs: {error}"),
            _ => {}
        }
        ctx.clock.wait_until(at).await;
    }
}

async fn answer_for_runs(ctx: &Ctx, is_known: &mut bool) -> Result<(), Error> {
    if !*is_known {
        let (node, name) = (ctx.engine.node, &ctx.engine.config.name);
        ctx.store.node_started(node, name, ctx.clock.now()).await?;
        *is_known = true;
    }
    extend(ctx).await?;
    recover_own(ctx).await?;
    recovery::recover(ctx).await?;
    Ok(())
}

/// Hears which Runs are to be cancelled, and which others have.
pub(crate) async fn extend(ctx: &Ctx) -> Result<(), Error> {
    let claims = ctx.engine.running.claims();
    let runs: Vec<_> = claims.iter().map(|claim| claim.run).collect();
    let now = ctx.clock.now();
    let held = ctx.store.extend_leases(ctx.engine.node, &runs, now, now + ctx.engine.config.lease).await?;
    let held_by =
        |claim: &Claim| held.iter().find(|held| held.run_id == claim.run && held.fence == claim.fence);
    for claim in claims {
        match held_by(&claim) {
            Some(held) if held.cancelled => {
                ctx.engine.running.interrupt_claim(claim, Interruption::Cancelled);
            }
            Some(_) => {}
            // If it has just ended nobody hears this.
            None => ctx.engine.running.interrupt_claim(claim, Interruption::LeaseLost),
        }
    }
    Ok(())
}

/// Deals with Runs that are recorded as this node's and that it does not have: it was not heard that they were claimed or begun,
/// or what carried them out is gone.
pub(crate) async fn recover_own(ctx: &Ctx) -> Result<usize, Error> {
    if not_in_hand(ctx).await?.is_empty() {
        return Ok(0);
    }
    // What is just being claimed is nobody's yet. Nothing is now, so whatever is left is nobody's.
    let claiming = ctx.engine.claiming.write().await;
    let left = not_in_hand(ctx).await?;
    drop(claiming);
    let count = left.len();
    for run in left {
        let Some(lease) = run.lease else { continue };
        let claim = Claim { run: run.run_id, fence: lease.fence };
        let was_begun = ctx.engine.running.is_abandoned(claim);
        let left = if was_begun { LeftBehind::Begun } else { LeftBehind::NotBegun };
        recovery::recover_run(ctx, run, lease, left).await?;
        ctx.engine.running.forget(claim);
    }
    Ok(count)
}

async fn not_in_hand(ctx: &Ctx) -> Result<Vec<Run>, Error> {
    let mut held = ctx.store.runs_held_by(ctx.engine.node).await?;
    let in_hand = ctx.engine.running.claims();
    held.retain(|run| !in_hand.iter().any(|claim| claim.is_of(run)));
    Ok(held)
}
