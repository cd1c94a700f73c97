//! Raising limits: by somebody, or by the answer to a question of the Run.

use jiff::Timestamp;
use model::access::audit::AuditRecord;
use model::budget::{Account, Limits};

use super::push_open;
use crate::access::audit::push_audit;
use crate::db::{Batch, Durability};
use crate::error::Error;
use crate::store::Store;

/// What has no limit gets none. More time counts from now if none was left.
const EXTEND: &str = "update budgets
    set tokens_limit = tokens_limit + $2, money_limit = money_limit + $3, turns_limit = turns_limit + $4,
        functions_limit = functions_limit + $5, seconds_limit = seconds_limit + $6, depth_limit = depth_limit + $7,
        deadline = case when $6 = 0 then deadline when deadline > $8 then deadline + $9 else $8 + $9 end,
        told_at = null
    where account = $1";

/// The deadline is in microseconds.
const MICROS: u64 = 1_000_000;

impl Store {
    /// Raises the limits of these accounts.
    pub async fn extend_budgets(
        &self,
        accounts: &[Account],
        more: &Limits,
        now: Timestamp,
        audit: &AuditRecord,
    ) -> Result<(), Error> {
        let mut batch = Batch::new();
        push_extension(&mut batch, accounts, more, now);
        push_audit(&mut batch, audit);
        self.db.write(batch, Durability::Power).await.map(drop)
    }
}

pub(crate) fn push_extension(batch: &mut Batch, accounts: &[Account], more: &Limits, now: Timestamp) {
    if accounts.is_empty() {
        return;
    }
    push_open(batch, accounts);
    let seconds = more.seconds.unwrap_or_default();
    for account in accounts {
        // A deadline that there is not stays away.
        let deadline = if account.deadline.is_some() { seconds } else { 0 };
        batch.push(
            EXTEND,
            [
                account.id.to_string().into(),
                more.tokens.unwrap_or_default().into(),
                more.money.unwrap_or_default().0.into(),
                more.turns.unwrap_or_default().into(),
                more.functions.unwrap_or_default().into(),
                deadline.into(),
                more.depth.unwrap_or_default().into(),
                now.into(),
                (deadline * MICROS).into(),
            ],
        );
    }
}
