//! Accounts of budgets: what may be spent of each, what is spent, and what is reserved. The rule is that of `model::budget::account`; it is
//! repeated in the guards here, because others spend from the same accounts meanwhile.

pub(crate) mod extending;
pub(crate) mod reservations;

use model::budget::{Account, AccountId, Amounts, Limits, Link, Money, TokenUsage};
use model::ids::RunId;
use model::run::How;

use crate::db::{Batch, Row, Sql, Value};
use crate::error::Error;
use crate::store::Store;

macro_rules! account_columns {
    () => {
        "account, tokens_limit, money_limit, turns_limit, functions_limit, seconds_limit, depth_limit, deadline,
         tokens_spent, money_spent, turns_spent, functions_spent, tokens_reserved, money_reserved, turns_reserved,
         functions_reserved, input_tokens, cached_tokens, output_tokens, told_at"
    };
}

macro_rules! accounts {
    ($ids:literal) => {
        concat!(
            "select ",
            account_columns!(),
            " from budgets where account in (select ",
            $ids,
            ") order by account"
        )
    };
}

impl Store {
    /// A Run and those above it, the Run first.
    pub async fn budget_links(&self, run: RunId) -> Result<Vec<Link>, Error> {
        let sql = "with recursive above (id, distance) as (
                select run_id, 0 from runs where run_id = $1
                union all
                select runs.parent_run_id, distance + 1 from above join runs on runs.run_id = above.id
                where runs.parent_run_id is not null
            )
            select runs.run_id, runs.name, runs.created_at, runs.how
            from above join runs on runs.run_id = above.id order by distance";
        self.db.query(sql, [run.0.into()], link_from_row).await
    }

    /// Those of these accounts that there are.
    pub async fn budget_accounts(&self, ids: &[AccountId]) -> Result<Vec<Account>, Error> {
        let sql = Sql {
            sqlite: accounts!("value from json_each($1)"),
            postgres: accounts!("jsonb_array_elements_text($1::text::jsonb)"),
        };
        self.db.query(sql, [Value::json(&ids)?], account_from_row).await
    }
}

fn link_from_row(row: &Row) -> Result<Link, Error> {
    let how: How = row.optional_json(3)?.unwrap_or_default();
    Ok(Link {
        run_id: RunId(row.uuid(0)?),
        name: row.word(1)?,
        created_at: row.timestamp(2)?,
        depth: how.depth,
        limits: how.budget,
    })
}

fn account_from_row(row: &Row) -> Result<Account, Error> {
    let amounts = |first: usize| -> Result<Amounts, Error> {
        Ok(Amounts {
            tokens: row.unsigned(first)?,
            money: Money(row.unsigned(first + 1)?),
            turns: row.unsigned(first + 2)?,
            functions: row.unsigned(first + 3)?,
        })
    };
    Ok(Account {
        id: row.word(0)?,
        limits: Limits {
            tokens: row.optional_unsigned(1)?,
            money: row.optional_unsigned(2)?.map(Money),
            turns: row.optional_unsigned(3)?,
            functions: row.optional_unsigned(4)?,
            seconds: row.optional_unsigned(5)?,
            depth: row.optional_unsigned(6)?,
        },
        deadline: row.optional_timestamp(7)?,
        spent: amounts(8)?,
        reserved: amounts(12)?,
        tokens: TokenUsage { input: row.unsigned(16)?, cached: row.unsigned(17)?, output: row.unsigned(18)? },
        is_told: row.optional_timestamp(19)?.is_some(),
    })
}

/// What is written where there is no such account yet. The limits of a day are as the server is configured now; those of a Run stay as they
/// are stored, because somebody may have raised them.
macro_rules! open_accounts {
    ($values:literal) => {
        concat!(
            "insert into budgets (account, run_id, tokens_limit, money_limit, turns_limit, functions_limit, seconds_limit,
                depth_limit, deadline) ",
            $values,
            " on conflict (account) do update
             set tokens_limit = excluded.tokens_limit, money_limit = excluded.money_limit,
                turns_limit = excluded.turns_limit, functions_limit = excluded.functions_limit
             where budgets.run_id is null"
        )
    };
}

/// Opens those that there are not, and takes the others in their order, so that no two batches wait for each other.
pub(crate) fn push_open(batch: &mut Batch, accounts: &[Account]) {
    let rows = accounts.iter().map(|account| {
        let run = match &account.id {
            AccountId::Own(run) | AccountId::Run(run) => Some(run.0),
            AccountId::Agent(..) | AccountId::Brain(_) => None,
        };
        let limits = &account.limits;
        vec![
            account.id.to_string().into(),
            run.into(),
            limits.tokens.into(),
            limits.money.map(|money| money.0).into(),
            limits.turns.into(),
            limits.functions.into(),
            limits.seconds.into(),
            limits.depth.into(),
            account.deadline.into(),
        ]
    });
    batch.bulk(
        Sql {
            sqlite: open_accounts!("values ($1, $2, $3, $4, $5, $6, $7, $8, $9)"),
            postgres: open_accounts!(
                "select * from unnest($1::text[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
                    $7::bigint[], $8::bigint[], $9::bigint[])"
            ),
        },
        rows.collect(),
    );
}
