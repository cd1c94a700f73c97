//! Reservations: what a Step may cost, in every account of its chain. It is settled in the batch that journals the Step; what a Run leaves
//! behind is settled at its full amount in the batch that ends it.

use jiff::Timestamp;
use model::budget::{Account, AccountId, Amounts, Money, Spending};
use model::event::NewEvent;
use model::ids::RunId;
use model::run::Lease;
use model::run::lane::Lane;
use model::run::step::Step;
use uuid::Uuid;

use super::push_open;
use crate::db::{Batch, Durability, Sql, Value};
use crate::error::Error;
use crate::events::push_events;
use crate::runs::steps::{held, push_step};
use crate::store::Store;

/// What one Step reserves. Its Step is known by its lane and number, which are the same when it is executed again; by its id, one execution
/// knows its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    pub id: Uuid,
    pub run_id: RunId,
    pub lane: Lane,
    pub number: u32,
    pub amounts: Amounts,
}

/// What is no longer so if an account has no room.
const ROOM: &str = "the budget has room";
const UNTOLD: &str = "nobody was told that the budget is exhausted";

/// What is not asked for is not refused, even where more was spent than the limit.
const RESERVE: &str = "update budgets
    set tokens_reserved = tokens_reserved + $2, money_reserved = money_reserved + $3,
        turns_reserved = turns_reserved + $4, functions_reserved = functions_reserved + $5
    where account = $1
        and ($2 = 0 or tokens_limit is null or tokens_spent + tokens_reserved + $2 <= tokens_limit)
        and ($3 = 0 or money_limit is null or money_spent + money_reserved + $3 <= money_limit)
        and ($4 = 0 or turns_limit is null or turns_spent + turns_reserved + $4 <= turns_limit)
        and ($5 = 0 or functions_limit is null or functions_spent + functions_reserved + $5 <= functions_limit)
        and (deadline is null or deadline > $6)";

impl Reservation {
    pub fn of(step: &Step, id: Uuid, amounts: Amounts) -> Reservation {
        Reservation { id, run_id: step.run_id, lane: step.lane.clone(), number: step.number, amounts }
    }
}

impl Store {
    /// Reserves in all of these accounts, or in none: then it is false. What an earlier execution of the Step has reserved is counted as
    /// spent, because nobody knows what came of it. [`Error::GuardFailed`] if the Run is no longer held by this claim.
    pub async fn reserve(
        &self,
        reservation: &Reservation,
        accounts: &[Account],
        lease: Lease,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let Reservation { id, run_id, lane, number, amounts } = reservation;
        let mut batch = held(*run_id, lease);
        push_open(&mut batch, accounts);
        push_settle_lost(&mut batch, *run_id, lane, *number);
        for account in accounts {
            batch.guard(
                RESERVE,
                [
                    account.id.to_string().into(),
                    amounts.tokens.into(),
                    amounts.money.0.into(),
                    amounts.turns.into(),
                    amounts.functions.into(),
                    now.into(),
                ],
                ROOM,
            );
        }
        let rows = accounts.iter().map(|account| {
            vec![
                run_id.0.into(),
                lane.as_str().into(),
                (*number).into(),
                account.id.to_string().into(),
                (*id).into(),
                amounts.tokens.into(),
                amounts.money.0.into(),
                amounts.turns.into(),
                amounts.functions.into(),
            ]
        });
        batch.bulk(RECORD, rows.collect());
        match self.db.write(batch, Durability::Power).await {
            Ok(_) => Ok(true),
            Err(Error::GuardFailed { guard }) if guard == ROOM => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What a Step has reserved and not settled.
    pub async fn reservation(
        &self,
        run: RunId,
        lane: &Lane,
        number: u32,
    ) -> Result<Option<Reservation>, Error> {
        let sql = "select reservation_id, tokens, money, turns, functions from reservations
            where run_id = $1 and lane = $2 and number = $3 limit 1";
        self.db
            .optional(sql, [run.0.into(), lane.as_str().into(), number.into()], |row| {
                Ok(Reservation {
                    id: row.uuid(0)?,
                    run_id: run,
                    lane: lane.clone(),
                    number,
                    amounts: Amounts {
                        tokens: row.unsigned(1)?,
                        money: Money(row.unsigned(2)?),
                        turns: row.unsigned(3)?,
                        functions: row.unsigned(4)?,
                    },
                })
            })
            .await
    }

    /// Journals a Step together with what it cost, in place of what it has reserved.
    pub async fn record_step_spending(
        &self,
        step: &Step,
        lease: Lease,
        spending: &Spending,
    ) -> Result<(), Error> {
        let mut batch = held(step.run_id, lease);
        push_step(&mut batch, step)?;
        push_settle(&mut batch, step, spending);
        self.db.write(batch, Durability::Power).await.map(drop)
    }

    /// Journals a Step that was refused because an account has no room. People are told once, until somebody raises its limits.
    pub async fn record_step_refused(
        &self,
        step: &Step,
        lease: Lease,
        account: &Account,
        event: &NewEvent,
    ) -> Result<(), Error> {
        let mut batch = held(step.run_id, lease);
        push_open(&mut batch, std::slice::from_ref(account));
        batch.guard(
            "update budgets set told_at = $2 where account = $1 and told_at is null",
            [account.id.to_string().into(), event.at.into()],
            UNTOLD,
        );
        push_step(&mut batch, step)?;
        push_events(&mut batch, std::slice::from_ref(event));
        match self.db.write(batch, Durability::Power).await {
            Err(Error::GuardFailed { guard }) if guard == UNTOLD => self.record_step(step, lease).await,
            written => written.map(drop),
        }
    }

    /// What is reserved and not settled, of all Runs: by Run and account.
    pub async fn open_reservations(&self) -> Result<Vec<(RunId, AccountId)>, Error> {
        let sql = "select run_id, account from reservations order by run_id, account";
        self.db.query(sql, [], |row| Ok((RunId(row.uuid(0)?), row.word(1)?))).await
    }
}

const RECORD: Sql = Sql {
    sqlite: "insert into reservations
            (run_id, lane, number, account, reservation_id, tokens, money, turns, functions)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    postgres: "insert into reservations
            (run_id, lane, number, account, reservation_id, tokens, money, turns, functions)
        select * from unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::uuid[], $6::bigint[], $7::bigint[],
            $8::bigint[], $9::bigint[])",
};

macro_rules! lock {
    ($lock:literal) => {
        concat!(
            "select 1 from budgets where account in (select account from reservations where run_id = $1)
             order by account",
            $lock
        )
    };
}

/// PostgreSQL is told to take the accounts in the order in which everybody takes them; SQLite has one writer.
const LOCK: Sql = Sql { sqlite: lock!(""), postgres: lock!(" for update") };

macro_rules! settle {
    ($tokens:literal, $money:literal, $turns:literal, $functions:literal, $measured:literal, $which:literal) => {
        concat!(
            "update budgets set
                tokens_reserved = tokens_reserved - reserved.tokens, tokens_spent = tokens_spent + ",
            $tokens,
            ", money_reserved = money_reserved - reserved.money, money_spent = money_spent + ",
            $money,
            ", turns_reserved = turns_reserved - reserved.turns, turns_spent = turns_spent + ",
            $turns,
            ", functions_reserved = functions_reserved - reserved.functions, functions_spent = functions_spent + ",
            $functions,
            $measured,
            " from (
                select account, sum(tokens) as tokens, sum(money) as money, sum(turns) as turns,
                    sum(functions) as functions
                from reservations where run_id = $1",
            $which,
            " group by account) as reserved where budgets.account = reserved.account"
        )
    };
}

/// At what it cost.
const SETTLE: &str = settle!(
    "$4",
    "$5",
    "$6",
    "$7",
    ", input_tokens = input_tokens + $8, cached_tokens = cached_tokens + $9, output_tokens = output_tokens + $10",
    " and lane = $2 and number = $3"
);

/// At its full amount.
const SETTLE_LOST: &str = settle!(
    "reserved.tokens",
    "reserved.money",
    "reserved.turns",
    "reserved.functions",
    "",
    " and lane = $2 and number = $3"
);

const SETTLE_LEFT: &str =
    settle!("reserved.tokens", "reserved.money", "reserved.turns", "reserved.functions", "", "");

const FORGET_STEP: &str = "delete from reservations where run_id = $1 and lane = $2 and number = $3";

/// What a Step has reserved is spent, at what it cost.
pub(crate) fn push_settle(batch: &mut Batch, step: &Step, spending: &Spending) {
    let Spending { amounts, tokens } = spending;
    let key: [Value; 3] = [step.run_id.0.into(), step.lane.as_str().into(), step.number.into()];
    batch.push(LOCK, [step.run_id.0.into()]);
    let cost: [Value; 7] = [
        amounts.tokens.into(),
        amounts.money.0.into(),
        amounts.turns.into(),
        amounts.functions.into(),
        tokens.input.into(),
        tokens.cached.into(),
        tokens.output.into(),
    ];
    batch.push(SETTLE, [key.as_slice(), cost.as_slice()].concat());
    batch.push(FORGET_STEP, key);
}

/// What an earlier execution of a Step has reserved is spent.
fn push_settle_lost(batch: &mut Batch, run: RunId, lane: &Lane, number: u32) {
    let key: [Value; 3] = [run.0.into(), lane.as_str().into(), number.into()];
    batch.push(SETTLE_LOST, key.clone());
    batch.push(FORGET_STEP, key);
}

/// What a Run that ends has reserved and not settled is spent: nobody knows what came of it.
pub(crate) fn push_settle_left(batch: &mut Batch, run: RunId) {
    batch.push(LOCK, [run.0.into()]);
    batch.push(SETTLE_LEFT, [run.0.into()]);
    batch.push("delete from reservations where run_id = $1", [run.0.into()]);
}
