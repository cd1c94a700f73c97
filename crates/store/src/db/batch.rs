//! Statements as data: what the methods of the store pass to the database.
//!
//! A batch is built without touching the database and executed as one transaction, so no transaction is ever held open
//! across an `await`, and a batch that lost a race inside the database can simply be executed again.

use model::ids::RunId;

use super::value::Value;
use crate::changes::{Changes, Topic};

/// One statement in the words of each database. Both texts number their parameters `$1`, `$2`, …
///
/// Where PostgreSQL cannot tell the type of a parameter, `cast($1 as bigint)` helps and is understood by both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sql {
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
}

impl From<&'static str> for Sql {
    fn from(text: &'static str) -> Sql {
        Sql { sqlite: text, postgres: text }
    }
}

/// What an acknowledged write survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// The end of this process, however sudden.
    Process,
    /// Loss of power as well.
    Power,
}

/// Statements that happen together, in order, or not at all.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    steps: Vec<Step>,
    changes: Changes,
}

#[derive(Debug)]
pub(super) struct Step {
    pub(super) sql: Sql,
    pub(super) values: Values,
    /// Says what must hold: the step has to touch a row, or the batch is undone.
    pub(super) guard: Option<&'static str>,
}

#[derive(Debug)]
pub(super) enum Values {
    Single(Vec<Value>),
    Bulk(Vec<Vec<Value>>),
}

impl Batch {
    pub(crate) fn new() -> Batch {
        Batch::default()
    }

    /// A statement that may touch any number of rows, none included.
    pub(crate) fn push(&mut self, sql: impl Into<Sql>, values: impl Into<Vec<Value>>) {
        self.add(sql.into(), Values::Single(values.into()), None);
    }

    /// A statement that must change or return at least one row; otherwise the whole batch is undone and answers
    /// [`GuardFailed`](crate::Error::GuardFailed). `what` completes "it no longer holds that …".
    pub(crate) fn guard(&mut self, sql: impl Into<Sql>, values: impl Into<Vec<Value>>, what: &'static str) {
        self.add(sql.into(), Values::Single(values.into()), Some(what));
    }

    /// The same statement for many rows. SQLite repeats its text for each of them; PostgreSQL's text takes every
    /// column as one array: `insert into t (id, name) select * from unnest($1::uuid[], $2::text[])`.
    ///
    /// Being one statement, PostgreSQL's `on conflict do update` refuses two rows of the same key.
    pub(crate) fn bulk(&mut self, sql: Sql, rows: Vec<Vec<Value>>) {
        self.add(sql, Values::Bulk(rows), None);
    }

    /// How many rows it takes values for.
    pub(super) fn rows(&self) -> usize {
        let rows = self.steps.iter().map(|step| match &step.values {
            Values::Single(_) => 1,
            Values::Bulk(rows) => rows.len(),
        });
        rows.sum()
    }

    /// About how much it writes: its texts and blobs.
    pub(super) fn bytes(&self) -> u64 {
        let size = |value: &Value| match value {
            Value::Text(text) => text.len() as u64,
            Value::Blob(bytes) => bytes.len() as u64,
            _ => 0,
        };
        let step = |step: &Step| -> u64 {
            match &step.values {
                Values::Single(values) => values.iter().map(size).sum(),
                Values::Bulk(rows) => rows.iter().flatten().map(size).sum(),
            }
        };
        self.steps.iter().map(step).sum()
    }

    /// All of another batch, after what is here.
    pub(crate) fn append(&mut self, mut other: Batch) {
        self.steps.append(&mut other.steps);
        self.changes.merge(&other.changes);
    }

    /// Says that those who wait for this are to be woken when the batch is committed.
    pub(crate) fn changes(&mut self, topic: Topic) {
        self.changes.add(topic);
    }

    /// Says that a Run ends or begins to wait.
    pub(crate) fn changes_run(&mut self, run: RunId) {
        self.changes.add_run(run);
    }

    pub(super) fn changed(&self) -> &Changes {
        &self.changes
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    fn add(&mut self, sql: Sql, values: Values, guard: Option<&'static str>) {
        self.steps.push(Step { sql, values, guard });
    }
}
