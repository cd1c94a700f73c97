//! The accounts that a Run spends from, and the time that they leave it.

use std::time::Duration;

use jiff::Timestamp;
use model::budget::exhausted::BUDGET_EXHAUSTED;
use model::budget::{AccountId, Amounts, Chain, Exhausted};
use model::ids::RunId;
use model::run::{End, Ending, Run, RunError};

use crate::ctx::Ctx;
use crate::error::Error;

/// As they are now.
pub(crate) async fn budget_chain(ctx: &Ctx, run: RunId) -> Result<Chain, Error> {
    let links = ctx.store.budget_links(run).await?;
    let chain = Chain::new(links, &ctx.engine.config.days, ctx.clock.now());
    let ids: Vec<AccountId> = chain.accounts.iter().map(|account| account.id.clone()).collect();
    Ok(chain.with(ctx.store.budget_accounts(&ids).await?))
}

/// When a Run has to end, because its budget or one above it is bounded in time.
pub(crate) struct Deadline {
    at: Timestamp,
    /// As whoever started the Run may see it.
    exhausted: Exhausted,
}

impl Deadline {
    pub(super) async fn of(ctx: &Ctx, run: &Run) -> Result<Option<Deadline>, Error> {
        if !run.how.is_bounded() {
            return Ok(None);
        }
        let chain = budget_chain(ctx, run.run_id).await?;
        let Some(at) = chain.deadline() else { return Ok(None) };
        let short = chain.shortage(Amounts::default(), at);
        let exhausted = short.map(|(account, shortage)| Exhausted::new(&chain, &account, shortage));
        Ok(exhausted.map(|exhausted| Deadline { at, exhausted: exhausted.seen_by(&run.authority) }))
    }

    pub(super) fn is_over(&self, now: Timestamp) -> bool {
        now >= self.at
    }

    /// What is left of some time.
    pub(crate) fn within(&self, time: Duration, from: Timestamp) -> Duration {
        time.min(Duration::try_from(self.at.duration_since(from)).unwrap_or(Duration::ZERO))
    }

    /// The end of a Run that has no time left.
    pub(super) fn end(&self) -> End {
        End::failed(BUDGET_EXHAUSTED, self.exhausted.to_string(), None)
    }

    /// An end for want of time, if it was this that took the time away.
    #[must_use]
    pub(crate) fn explained(&self, end: End, now: Timestamp) -> End {
        if end.ending != Some(Ending::TimedOut) || !self.is_over(now) {
            return end;
        }
        let error = RunError { traceback: end.error.and_then(|error| error.traceback), ..self.error() };
        End { error: Some(error), ..end }
    }

    fn error(&self) -> RunError {
        RunError::of(BUDGET_EXHAUSTED, self.exhausted.to_string())
    }
}
