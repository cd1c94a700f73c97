//! Runs that wait for a person or a time, without a cell.

use jiff::Timestamp;
use model::access::actor::Actor;
use model::access::audit::AuditRecord;
use model::budget::{Account, Limits};
use model::ids::RunId;
use model::run::{Lease, Waiting};

use crate::access::audit::push_audit;
use crate::budgets::extending::push_extension;
use crate::changes::Topic;
use crate::db::{Batch, Durability, Row, Sql, Value};
use crate::error::Error;
use crate::runs::wakes_at;
use crate::store::Store;

/// Waking more at once would keep other writers waiting for long.
const AT_ONCE: u32 = 1_000;

macro_rules! wake {
    ($by:literal) => {
        concat!(
            "update runs set state = 'queued', due_at = wake_at, waiting = null, wake_at = null
             where state = 'waiting' and run_id in (
                select run_id from runs",
            $by,
            " where state = 'waiting' and wake_at is not null and wake_at <= $1 order by wake_at limit $2)
             returning run_id"
        )
    };
}

/// SQLite is told which index to walk: it does not know that the one by state holds as many.
const WAKE: Sql = Sql { sqlite: wake!(" indexed by runs_wake"), postgres: wake!("") };

macro_rules! due {
    ($by:literal) => {
        concat!(
            "select 1 from runs",
            $by,
            " where state = 'waiting' and wake_at is not null and wake_at <= $1 limit 1"
        )
    };
}

const DUE: Sql = Sql { sqlite: due!(" indexed by runs_wake"), postgres: due!("") };

/// PostgreSQL lets nobody begin to wait between this and the end of the batch; SQLite has one writer.
const LOCK: Sql = Sql {
    sqlite: "select 1 from runs where run_id = $1",
    postgres: "select 1 from runs where run_id = $1 for update",
};

/// The Run of a node has ended: the Run of its Graph is queued if it waits, and looks for itself what it waits for now.
pub(crate) fn push_wake(batch: &mut Batch, graph: RunId, at: Timestamp) {
    batch.changes(Topic::Queue);
    batch.push(LOCK, [graph.0.into()]);
    batch.push(
        "update runs set state = 'queued', due_at = $2, waiting = null, wake_at = null
         where run_id = $1 and state = 'waiting'",
        [graph.0.into(), at.into()],
    );
}

/// Those that ended before the Run waited found nobody to wake.
fn push_wake_by_ended_nodes(batch: &mut Batch, graph: RunId) {
    batch.push(
        "update runs set state = 'queued', due_at = ended.at, waiting = null, wake_at = null
         from (
            select min(child.finished_at) as at from steps join runs as child on child.run_id = steps.child_run_id
            where steps.run_id = $1 and steps.verb = 'node' and steps.finished_at is null
                and child.finished_at is not null
         ) as ended
         where runs.run_id = $1 and runs.state = 'waiting' and ended.at is not null",
        [graph.0.into()],
    );
}

/// Somebody decided about a Changeset: the Runs that wait for that are queued.
pub(crate) fn push_wake_by_decision(batch: &mut Batch, changeset: u64, at: Timestamp) -> Result<(), Error> {
    batch.changes(Topic::Queue);
    batch.push(
        "update runs set state = 'queued', due_at = $3, waiting = null, wake_at = null
         where run_id in (select run_id from changeset_waits where changeset_number = $1)
            and state = 'waiting' and waiting = $2",
        [changeset.into(), Value::json(&Waiting::Decision { changeset })?, at.into()],
    );
    batch.push("delete from changeset_waits where changeset_number = $1", [changeset.into()]);
    Ok(())
}

/// PostgreSQL lets nobody decide between this and the end of the batch; SQLite has one writer.
const UNDECIDED: Sql = Sql {
    sqlite: "select 1 from changesets where number = $1",
    postgres: "select 1 from changesets where number = $1 for update",
};

/// It is queued at once if somebody has decided by now.
fn push_wait_for_decision(batch: &mut Batch, run: RunId, changeset: u64) {
    batch.push(UNDECIDED, [changeset.into()]);
    batch.push(
        "insert into changeset_waits (changeset_number, run_id)
         select $1, $2 where exists (select 1 from changesets where number = $1 and state = 'checked')
         on conflict do nothing",
        [changeset.into(), run.0.into()],
    );
    batch.push(
        "update runs set state = 'queued', due_at = created_at, waiting = null, wake_at = null
         where run_id = $2 and state = 'waiting'
            and not exists (select 1 from changesets where number = $1 and state = 'checked')",
        [changeset.into(), run.0.into()],
    );
}

impl Store {
    /// Lets a claimed Run wait. False if another claim holds it, or if its end was asked for: then it has to end
    /// instead. A Run of a Graph is queued at once if the Run of one of its nodes has ended and was not heard.
    pub async fn suspend_run(&self, run: RunId, lease: Lease, waiting: &Waiting) -> Result<bool, Error> {
        let mut batch = Batch::new();
        batch.changes_run(run);
        // Its concurrency key may be free.
        batch.changes(Topic::Queue);
        batch.guard(
            "update runs set state = 'waiting', waiting = $4, wake_at = $5, lease_until = null
             where run_id = $1 and node_id = $2 and fence = $3 and state = 'running' and cancelled_at is null",
            [
                run.0.into(),
                lease.node.0.into(),
                lease.fence.into(),
                Value::json(waiting)?,
                wakes_at(waiting).into(),
            ],
            "this claim holds the run",
        );
        push_wake_by_ended_nodes(&mut batch, run);
        if let Waiting::Decision { changeset } = waiting {
            push_wait_for_decision(&mut batch, run, *changeset);
        }
        // Somebody may have let it go on from a breakpoint just now.
        batch.push(
            "update runs set state = 'queued', due_at = created_at, waiting = null, wake_at = null
             where run_id = $1 and state = 'waiting'
                and exists (select 1 from graph_commands where graph_commands.run_id = $1)",
            [run.0.into()],
        );
        self.write_guarded(batch).await
    }

    /// Queues Runs whose time has come, those that waited longest first, a thousand at once: call it again until it
    /// answers none.
    pub async fn wake_runs(&self, now: Timestamp) -> Result<Vec<RunId>, Error> {
        // Nearly always there is none, and to look is cheaper than to write nothing.
        if self.db.optional(DUE, [now.into()], |_| Ok(())).await?.is_none() {
            return Ok(Vec::new());
        }
        let mut batch = Batch::new();
        batch.changes(Topic::Queue);
        batch.push(WAKE, [now.into(), AT_ONCE.into()]);
        let answers = self.db.write(batch, Durability::Power).await?;
        answers.iter().flatten().map(|row| row.uuid(0).map(RunId)).collect()
    }

    /// Hands a person's answer to the Run that asked: its Step is finished and it is queued. False if it does not wait
    /// for a person at this Step, or no longer.
    pub async fn answer_run(
        &self,
        run: RunId,
        position: u32,
        answer: &serde_json::Value,
        actor: &Actor,
        at: Timestamp,
    ) -> Result<bool, Error> {
        self.answer_run_with(run, position, answer, actor, at, Batch::new()).await
    }

    /// The same for a question for a larger budget: these accounts get it with the answer.
    #[allow(clippy::too_many_arguments, reason = "an answer and what it grants, in one batch")]
    pub async fn answer_run_extending(
        &self,
        run: RunId,
        position: u32,
        answer: &serde_json::Value,
        actor: &Actor,
        at: Timestamp,
        (accounts, more): (&[Account], &Limits),
        audit: &AuditRecord,
    ) -> Result<bool, Error> {
        let mut granted = Batch::new();
        push_extension(&mut granted, accounts, more, at);
        push_audit(&mut granted, audit);
        self.answer_run_with(run, position, answer, actor, at, granted).await
    }

    async fn answer_run_with(
        &self,
        run: RunId,
        position: u32,
        answer: &serde_json::Value,
        actor: &Actor,
        at: Timestamp,
        more: Batch,
    ) -> Result<bool, Error> {
        let asked = self
            .db
            .optional(
                "select waiting from runs where run_id = $1 and state = 'waiting'",
                [run.0.into()],
                |row| asks_at(row, position),
            )
            .await?;
        let Some(Some(waiting)) = asked else { return Ok(false) };
        let mut batch = Batch::new();
        batch.changes(Topic::Queue);
        batch.guard(
            "update runs set state = 'queued', due_at = $3, waiting = null, wake_at = null
             where run_id = $1 and state = 'waiting' and waiting = $2",
            [run.0.into(), waiting.into(), at.into()],
            "the run waits for this answer",
        );
        batch.guard(
            "update steps set result = $3, answered_by = $4, finished_at = $5
             where run_id = $1 and position = $2 and finished_at is null",
            [run.0.into(), position.into(), answer.into(), actor.to_string().into(), at.into()],
            "the step is not finished",
        );
        batch.append(more);
        self.write_guarded(batch).await
    }
}

/// What the Run waits for as it is stored, if that is a person's answer to this Step.
fn asks_at(row: &Row, position: u32) -> Result<Option<String>, Error> {
    match row.optional_json(0)? {
        Some(Waiting::Person { step, .. }) if step == position => row.optional_text(0),
        _ => Ok(None),
    }
}
