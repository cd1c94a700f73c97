//! Spending: reserves what a Step may cost in all accounts of its chain, before the effect. What it did cost is settled in the batch that
//! journals the Step.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use model::budget::estimate::Reserved;
use model::budget::{Account, AccountId, Chain, Exhausted, Shortage};
use model::run::Lease;
use model::run::step::Step;
use store::Reservation;

use crate::ctx::Ctx;
use crate::engine::{budget_chain, retry_while_unavailable_until};
use crate::error::Error;

/// So often others may be quicker. Each time one of them has reserved something, so there is an end to it.
const TRIES: usize = 1_000;
/// So long an unavailable database is waited for, before the Step is given up and executed again.
const BRIEFLY: Duration = Duration::from_secs(2);

/// An account that has no room, and what people and the code are told.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) exhausted: Exhausted,
    pub(crate) account: Account,
}

impl Refused {
    pub(crate) fn of(chain: &Chain, (id, shortage): (AccountId, Shortage)) -> Refused {
        let account = chain.accounts.iter().find(|account| account.id == id).cloned();
        let account = account.unwrap_or_else(|| Account::new(id, model::budget::Limits::default()));
        Refused { exhausted: Exhausted::new(chain, &account.id, shortage), account }
    }
}

/// Reserves what a Step may cost, which may depend on what is left. An earlier execution of the Step counts as spent, unless the effect
/// happens once however often it is executed.
pub(crate) async fn reserve<R: Into<Reserved> + Copy>(
    ctx: &Ctx,
    step: &Step,
    lease: Lease,
    happens_once: bool,
    cost: impl Fn(&Chain) -> R,
) -> Result<Result<R, Refused>, Error> {
    let ours = ctx.ids.uuid();
    let (run, lane, number) = (step.run_id, &step.lane, step.number);
    for _ in 0..TRIES {
        let (chain, now) = (budget_chain(ctx, run).await?, ctx.clock.now());
        let reserved = cost(&chain);
        if happens_once && ctx.store.reservation(run, lane, number).await?.is_some() {
            return Ok(Ok(reserved));
        }
        let amounts = reserved.into().amounts;
        if let Some(short) = chain.shortage(amounts, now) {
            return Ok(Err(Refused::of(&chain, short)));
        }
        let reservation = Reservation::of(step, ours, amounts);
        let is_again = AtomicBool::new(false);
        let stored = retry_while_unavailable_until(ctx, now + BRIEFLY, || async {
            // It may have been stored, and only its answer was lost.
            if is_again.swap(true, Ordering::Relaxed)
                && ctx.store.reservation(run, lane, number).await?.is_some_and(|found| found.id == ours)
            {
                return Ok(true);
            }
            Ok(ctx.store.reserve(&reservation, &chain.accounts, lease, now).await?)
        });
        if stored.await? {
            return Ok(Ok(reserved));
        }
    }
    Err(Error::Contended)
}

/// Why a Run may start none below it.
pub(crate) async fn refuses_nested(ctx: &Ctx, run: &model::run::Run) -> Result<Option<Refused>, Error> {
    if !run.how.is_bounded() {
        return Ok(None);
    }
    let chain = budget_chain(ctx, run.run_id).await?;
    let late = || chain.shortage(model::budget::Amounts::default(), ctx.clock.now());
    Ok(chain.too_deep(run.how.depth + 1).or_else(late).map(|short| Refused::of(&chain, short)))
}
