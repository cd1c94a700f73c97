//! Budgets: what Runs have spent, and raising what they may spend. How they spend it is in `spending`.

pub(crate) mod spending;

use jiff::Timestamp;
use model::access::Access;
use model::access::audit::AuditRecord;
use model::access::verb::Verb;
use model::budget::{Account, AccountId, Amounts, Chain, Dimension, Limits, TokenUsage};
use model::ids::RunId;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::runs;
use crate::ctx::Ctx;
use crate::engine::budget_chain;
use crate::error::Error;

/// What a Run may spend, and what it has spent.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct RunSpending {
    /// Of the run with all that it starts.
    #[serde(default, skip_serializing_if = "Limits::is_empty")]
    pub limits: Limits,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// By the run alone.
    pub own: Spent,
    /// With all that it started.
    pub total: Spent,
    /// What steps that are under way may spend besides, in the run and all that it started.
    pub reserved: Amounts,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, utoipa::ToSchema)]
#[schema(as = SpentAmounts)]
pub struct Spent {
    #[serde(flatten)]
    pub amounts: Amounts,
    /// Tokens of language models, as far as they were measured: what was lost is only part of `tokens`.
    #[serde(flatten)]
    pub usage: TokenUsage,
}

impl Spent {
    fn of(account: &Account) -> Spent {
        Spent { amounts: account.spent, usage: account.tokens }
    }
}

impl RunSpending {
    fn of(chain: &Chain, run: RunId) -> RunSpending {
        let own = chain.accounts.iter().find(|account| account.id == AccountId::Own(run));
        let all = chain.run_account(run);
        RunSpending {
            limits: all.map(|account| account.limits).unwrap_or_default(),
            deadline: all.and_then(|account| account.deadline),
            own: own.map(Spent::of).unwrap_or_default(),
            total: all.map(Spent::of).unwrap_or_default(),
            reserved: all.map(|account| account.reserved).unwrap_or_default(),
        }
    }

    /// Whether there is anything to say.
    fn is_empty(&self) -> bool {
        self.limits.is_empty() && self.total == Spent::default() && self.reserved == Amounts::default()
    }
}

/// What a Run may spend and has spent; none if it has no limits and has spent nothing. Its own accounts alone: what those above it and
/// others have spent is not told.
pub async fn of_run(ctx: &Ctx, access: &Access, id: RunId) -> Result<Option<RunSpending>, Error> {
    access.may(Verb::ReadRuns)?;
    runs::touched(ctx, access, id).await?;
    let spending = RunSpending::of(&budget_chain(ctx, id).await?, id);
    Ok((!spending.is_empty()).then_some(spending))
}

/// Raises the limits of a Run, and of those above it as far as they may be touched: otherwise the Run would have no more than before.
pub async fn extend(ctx: &Ctx, access: &Access, id: RunId, more: Limits) -> Result<RunSpending, Error> {
    access.may(Verb::ExtendRun)?;
    let run = runs::touched(ctx, access, id).await?;
    if run.state.is_final() {
        return Err(Error::RunEnded { run: id, state: run.state });
    }
    let more = more.checked().ok_or_else(|| Error::Input {
        problem: "nothing is added to the budget, or more than a budget can have".to_owned(),
        hint: "state how much of `money`, `tokens`, `turns`, `functions`, `seconds` or `depth` is added"
            .to_owned(),
    })?;
    let accounts = raisable(ctx, access, id, &more).await?;
    if accounts.is_empty() {
        return Err(Error::Input {
            problem: format!("run {id} has no limit of what is to be added ({})", more.shown()),
            hint: format!("`selfmade runs show {id}` shows its limits; what has none need not be raised"),
        });
    }
    let audit = extension(ctx, access, id, &more);
    ctx.store.extend_budgets(&accounts, &more, ctx.clock.now(), &audit).await?;
    Ok(RunSpending::of(&budget_chain(ctx, id).await?, id))
}

/// The accounts of a Run and of those above it that have limits of what is added and may be touched.
pub(super) async fn raisable(
    ctx: &Ctx,
    access: &Access,
    id: RunId,
    more: &Limits,
) -> Result<Vec<Account>, Error> {
    let chain = budget_chain(ctx, id).await?;
    let all = Dimension::SPENT.into_iter().chain([Dimension::Seconds, Dimension::Depth]);
    let added: Vec<Dimension> =
        all.filter(|dimension| more.of(*dimension).is_some_and(|more| more > 0)).collect();
    let is_raised = |account: &&Account| {
        let limited = added.iter().any(|dimension| account.limits.of(*dimension).is_some());
        limited && chain.link(&account.id).is_some_and(|link| access.covers(link.name.as_str()))
    };
    Ok(chain.accounts.iter().filter(is_raised).cloned().collect())
}

pub(super) fn extension(ctx: &Ctx, access: &Access, id: RunId, more: &Limits) -> AuditRecord {
    ctx.audit(&access.actor, "run.extend", &id.to_string(), json!({ "more": more }))
}
