//! A node is responsible for the Runs it owns, and only for those: it extends their leases, and finds Runs that are recorded as its own
//! but that it does not execute.

use std::collections::HashSet;
use std::time::Duration;

use jiff::Timestamp;
use store::Topic;

use super::database_retry::retry_while_unavailable;
use super::owned_runs::{Claim, Interruption};
use super::recovery;
use crate::ctx::Ctx;
use crate::engine::Introduction;
use crate::error::Error;

/// Extends the leases of this node's Runs, and recovers Runs that no node executes.
pub(crate) async fn keep_leases(ctx: Ctx) {
    let mut cancels = ctx.signals.on(Topic::Cancels);
    let third = ctx.engine.config.lease / 3;
    let mut keeper = LeaseKeeper::default();
    loop {
        let at = ctx.clock.now() + third;
        // The store tells of an outage, once.
        match keeper.round(&ctx).await {
            Err(error) if !error.is_passing() => tracing::warn!("cannot answer for runs: {error}"),
            _ => {}
        }
        loop {
            tokio::select! {
                biased;
                () = ctx.clock.wait_until(at) => break,
                () = cancels.changed() => check_cancels(&ctx).await,
            }
        }
    }
}

/// Another server was asked to cancel something, perhaps a Run that this one owns.
async fn check_cancels(ctx: &Ctx) {
    if ctx.engine.running.count() == 0 {
        return;
    }
    match extend(ctx).await {
        Err(error) if !error.is_passing() => tracing::warn!("cannot read which runs are cancelled: {error}"),
        _ => {}
    }
}

#[derive(Default)]
struct LeaseKeeper {
    is_known: bool,
    /// When leases were last extended.
    extended_at: Option<Timestamp>,
    /// Until then others may be as late as this node was, and are not taken for gone.
    spares_others_until: Option<Timestamp>,
}

impl LeaseKeeper {
    async fn round(&mut self, ctx: &Ctx) -> Result<(), Error> {
        if !self.is_known {
            let (node, Introduction { name, roles }) = (ctx.engine.node, ctx.engine.introduction());
            let started =
                || async { Ok(ctx.store.node_started(node, &name, &roles, ctx.clock.now()).await?) };
            retry_while_unavailable(ctx, started).await?;
            self.is_known = true;
        }
        retry_while_unavailable(ctx, || extend(ctx)).await?;
        self.extended(ctx.clock.now(), ctx.engine.config.lease);
        recover_own(ctx).await?;
        if self.spares_others_until.is_none_or(|until| until <= ctx.clock.now()) {
            recovery::recover(ctx).await?;
        }
        Ok(())
    }

    /// A database that could not be used kept the other nodes from extending their leases, too.
    fn extended(&mut self, now: Timestamp, lease: Duration) {
        let was_late = self.extended_at.is_some_and(|last| now > last + lease);
        if was_late {
            self.spares_others_until = Some(now + lease);
        }
        self.extended_at = Some(now);
    }
}

/// Reads which Runs are to be cancelled, and which were taken over by other nodes.
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

/// Handles Runs that are recorded as this node's and that it does not own: the answer that they were claimed or begun was lost,
/// or what executed them is gone.
pub(crate) async fn recover_own(ctx: &Ctx) -> Result<usize, Error> {
    if not_owned(ctx).await?.is_empty() {
        return Ok(0);
    }
    // What is just being claimed is nobody's yet. Nothing is now, so whatever is left is nobody's.
    let claiming = ctx.engine.claiming.write().await;
    // Asked before the database: what is abandoned after this may still be recorded, and must not be forgotten.
    let abandoned = ctx.engine.running.abandoned();
    let left = not_owned(ctx).await?;
    drop(claiming);
    for claim in abandoned.into_iter().filter(|claim| !left.contains(claim)) {
        ctx.engine.running.forget(claim);
    }
    for claim in &left {
        if let Err(error) = recover_claim(ctx, *claim).await {
            recovery::warn_of(claim.run, &error);
        }
    }
    Ok(left.len())
}

async fn recover_claim(ctx: &Ctx, claim: Claim) -> Result<(), Error> {
    let Some(run) = ctx.store.run(claim.run).await? else { return Ok(()) };
    let Some(lease) = run.lease.filter(|lease| lease.fence == claim.fence) else { return Ok(()) };
    recovery::recover_run(ctx, run, lease, ctx.engine.running.left(claim)).await?;
    ctx.engine.running.forget(claim);
    Ok(())
}

/// Owned Runs are listed first: a Run that ends meanwhile is not recorded as held any more.
async fn not_owned(ctx: &Ctx) -> Result<Vec<Claim>, Error> {
    let owned: HashSet<Claim> = ctx.engine.running.claims().into_iter().collect();
    let held = ctx.store.held_by(ctx.engine.node).await?;
    let claims = held.iter().map(|held| Claim { run: held.run_id, fence: held.fence });
    Ok(claims.filter(|claim| !owned.contains(claim)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_was_late_spares_others_that_may_have_been_for_a_lease() {
        let (lease, at) = (Duration::from_secs(15), |seconds| Timestamp::from_second(seconds).unwrap());
        let mut keeper = LeaseKeeper::default();
        keeper.extended(at(100), lease);
        keeper.extended(at(105), lease);
        assert_eq!(keeper.spares_others_until, None);
        keeper.extended(at(200), lease);
        assert_eq!(keeper.spares_others_until, Some(at(215)));
    }
}
