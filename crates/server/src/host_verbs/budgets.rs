//! What Steps cost: reserved before the effect, settled with the Step, and refused where a budget has no room.

use model::budget::estimate::Reserved;
use model::budget::{Amounts, Chain, Dimension, Spending};
use model::entry::EntryKey;
use model::name::EntryName;
use model::run::host_verb::HostVerb;
use model::run::step::Step;

use super::{Host, Refusal, Reply, StepReply, VerbArguments, finished};
use crate::app::budgets::spending::{self, Refused};
use crate::engine::budget_chain;
use crate::error::Error;

/// Reserves what a Step may cost.
pub(super) async fn reserve<R: Into<Reserved> + Copy>(
    host: &Host<'_>,
    step: &Step,
    happens_once: bool,
    cost: impl Fn(&Chain) -> R,
) -> Result<Result<R, Refused>, Error> {
    spending::reserve(&host.ctx, step, host.lease()?, happens_once, cost).await
}

/// How much of a dimension the Run may still spend; none if nothing limits it.
pub(super) async fn room(host: &Host<'_>, dimension: Dimension) -> Result<Option<u64>, Error> {
    Ok(budget_chain(&host.ctx, host.run.run_id).await?.room(dimension))
}

/// Journals a Step with what came of it and what it cost.
pub(super) async fn finish(
    host: &Host<'_>,
    step: Step,
    reply: Reply,
    spending: &Spending,
) -> Result<StepReply, Error> {
    if let Err(Refusal::Unavailable(why)) = reply {
        return Ok(StepReply::Unavailable(why));
    }
    let step = finished(host, step, reply);
    let lease = host.lease()?;
    host.journal(&step, || host.ctx.store.record_step_spending(&step, lease, spending)).await?;
    Ok(StepReply::Finished(Box::new(step)))
}

/// Journals a Step that a budget has no room for, and tells people. The code hears of the budget what its starter may see.
pub(super) async fn refuse(host: &Host<'_>, step: Step, refused: Refused) -> Result<StepReply, Error> {
    let Refused { exhausted, account } = refused;
    let event = exhausted.event(&host.run, host.ctx.clock.now());
    let shown = exhausted.seen_by(&host.run.authority).to_string();
    let step = finished(host, step, Err(Refusal::Exhausted(shown)));
    let lease = host.lease()?;
    host.journal(&step, || host.ctx.store.record_step_refused(&step, lease, &account, &event)).await?;
    Ok(StepReply::Finished(Box::new(step)))
}

/// How many functions a verb proposes that there are not yet.
pub(super) async fn new_functions(
    host: &Host<'_>,
    verb: HostVerb,
    given: &VerbArguments,
) -> Result<u64, Error> {
    if verb != HostVerb::FuncAddFunction {
        return Ok(0);
    }
    let name = given.peek_text("name").and_then(|name| name.parse().ok());
    count_new(host, name.into_iter().collect()).await
}

/// How many of the drafts are of functions that there are not yet.
pub(super) async fn new_drafts(host: &Host<'_>) -> Result<u64, Error> {
    count_new(host, host.workspace.names()).await
}

async fn count_new(host: &Host<'_>, names: Vec<EntryName>) -> Result<u64, Error> {
    let mut new = 0;
    for name in names {
        new += u64::from(host.ctx.store.live_version(&EntryKey::function(name)).await?.is_none());
    }
    Ok(new)
}

/// Reserves new functions for a proposal. It is named after the Step, so however often that is executed, there is one.
pub(super) async fn reserve_functions(
    host: &Host<'_>,
    step: &Step,
    new: u64,
) -> Result<Result<(), Refused>, Error> {
    if new == 0 {
        return Ok(Ok(()));
    }
    Ok(reserve(host, step, true, |_| Amounts::functions(new)).await?.map(drop))
}

/// Proposes functions, so many of them new, within the budget.
pub(super) async fn propose(
    host: &Host<'_>,
    step: Step,
    new: u64,
    propose: impl AsyncFnOnce(&Step) -> Reply,
) -> Result<StepReply, Error> {
    if let Err(refused) = reserve_functions(host, &step, new).await? {
        return refuse(host, step, refused).await;
    }
    let reply = propose(&step).await;
    let spent = if reply.is_ok() { Amounts::functions(new) } else { Amounts::default() };
    finish(host, step, reply, &Spending::unmeasured(spent)).await
}
