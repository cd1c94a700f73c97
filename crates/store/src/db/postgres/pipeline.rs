//! Sends the statements of a transaction without waiting for the responses in between.
//!
//! The driver sends a request when its future is first polled, and the server responds in the order of the requests. So
//! polling every future once, in order, sends the whole transaction, and the responses can then be awaited one by one.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use deadpool_postgres::Object;
use tokio_postgres::Statement;
use tokio_postgres::types::ToSql;

use super::fault::Fault;
use super::guard;
use super::wire::{self, Parameter};
use crate::Error;
use crate::db::{Durability, Row};

pub(super) struct Prepared<'a> {
    sql: &'static str,
    /// `None` for a bulk of no rows.
    statement: Option<Statement>,
    values: Vec<Parameter<'a>>,
    pub(super) guard: Option<&'static str>,
    /// Whether the server fails it where its guard is not met.
    checked: bool,
}

/// What a statement did: the rows it returned, and how many it returned or changed.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) rows: Vec<Row>,
    touched: u64,
}

pub(super) async fn prepare<'a>(
    client: &Object,
    sql: &'static str,
    sent: &str,
    values: Vec<Parameter<'a>>,
) -> Result<Prepared<'a>, Fault> {
    let statement = client.prepare_cached(sent).await.map_err(Fault::of(sql))?;
    // The driver would panic over a wrong number.
    let takes = statement.params().len();
    if takes != values.len() {
        let detail = format!("it takes {takes} values but got {}", values.len());
        return Err(Fault::Binding { sql, detail });
    }
    // Said before anything is sent: found only in the answer, it would come after the commit.
    if let Some((column, found)) = wire::unreadable(&statement) {
        return Err(Fault::Row(Error::Row { column, expected: wire::READABLE, found }));
    }
    Ok(Prepared { sql, statement: Some(statement), values, guard: None, checked: false })
}

impl Prepared<'_> {
    pub(super) fn nothing(sql: &'static str) -> Self {
        Prepared { sql, statement: None, values: Vec::new(), guard: None, checked: false }
    }

    pub(super) fn checked(self) -> Self {
        Prepared { checked: true, ..self }
    }

    pub(super) async fn run(&self, client: &Object) -> Result<Outcome, Fault> {
        let Some(statement) = &self.statement else { return Ok(Outcome::default()) };
        let values: Vec<&(dyn ToSql + Sync)> = self.values.iter().map(|value| value as _).collect();
        if statement.columns().is_empty() {
            let touched = client.execute(statement, &values).await.map_err(Fault::of(self.sql))?;
            return Ok(Outcome { rows: Vec::new(), touched });
        }
        let answer = client.query(statement, &values).await.map_err(|error| self.fault(error))?;
        if self.checked {
            return Ok(Outcome { rows: Vec::new(), touched: 1 });
        }
        let rows: Vec<Row> =
            answer.iter().map(wire::row).collect::<Result<_, _>>().map_err(Fault::of(self.sql))?;
        Ok(Outcome { touched: rows.len() as u64, rows })
    }

    fn fault(&self, error: tokio_postgres::Error) -> Fault {
        match self.guard {
            Some(what) if self.checked && guard::is_unmet(&error) => Fault::Guard { what },
            _ => Fault::of(self.sql)(error),
        }
    }
}

/// All statements see the same moment of the database.
pub(super) async fn snapshot(client: &Object, reads: &[Prepared<'_>]) -> Result<Vec<Vec<Row>>, Fault> {
    let begin = start(client.batch_execute("begin isolation level repeatable read read only")).await;
    let running = start_all(client, reads).await;
    // Sent with the rest, so a reader that stops waiting leaves no transaction behind.
    let end = start(client.batch_execute("rollback")).await;
    begin.finish().await.map_err(Fault::of("begin"))?;
    let answers = finish_all(running, reads).await;
    end.finish().await.map_err(Fault::of("rollback"))?;
    answers
}

/// All statements happen or none.
pub(super) async fn transaction(
    client: &Object,
    steps: &[Prepared<'_>],
    durability: Durability,
) -> Result<Vec<Vec<Row>>, Fault> {
    let begin = start(client.batch_execute(match durability {
        Durability::Process => "begin; set local synchronous_commit = off",
        // A server may be set to acknowledge before it flushed; one that promises more than `on` is left to do so.
        Durability::Power => {
            "begin; select set_config('synchronous_commit', 'on', true)
             where current_setting('synchronous_commit') = 'off'"
        }
    }))
    .await;
    let running = start_all(client, steps).await;
    // Where the server checks all guards the commit can follow at once: if a statement fails at the server, the server
    // undoes the transaction instead. A statement whose values could not even be sent is unknown to the server, so then
    // we wait.
    let checked = steps.iter().all(|step| step.guard.is_none() || step.checked);
    if checked && !running.iter().any(Started::has_failed) {
        let commit = start(client.batch_execute("commit")).await;
        begin.finish().await.map_err(Fault::of("begin"))?;
        let answers = finish_all(running, steps).await?;
        return commit.finish().await.map_err(Fault::of("commit")).map(|()| answers);
    }
    let begun = begin.finish().await.map_err(Fault::of("begin"));
    let answers = finish_all(running, steps).await;
    if begun.is_err() || answers.is_err() {
        // If this cannot be sent the connection is gone, and the transaction with it.
        client.batch_execute("rollback").await.ok();
    } else {
        client.batch_execute("commit").await.map_err(Fault::of("commit"))?;
    }
    begun.and(answers)
}

/// Stops at the first statement that cannot be sent.
async fn start_all<'a>(
    client: &'a Object,
    steps: &'a [Prepared<'a>],
) -> Vec<Started<'a, Result<Outcome, Fault>>> {
    let mut running = Vec::with_capacity(steps.len());
    for step in steps {
        running.push(start(step.run(client)).await);
        if running.last().is_some_and(Started::has_failed) {
            break;
        }
    }
    running
}

async fn finish_all(
    running: Vec<Started<'_, Result<Outcome, Fault>>>,
    steps: &[Prepared<'_>],
) -> Result<Vec<Vec<Row>>, Fault> {
    let mut answers = Vec::with_capacity(steps.len());
    for (started, step) in running.into_iter().zip(steps) {
        let outcome = started.finish().await?;
        match step.guard {
            Some(what) if outcome.touched == 0 => return Err(Fault::Guard { what }),
            _ => answers.push(outcome.rows),
        }
    }
    Ok(answers)
}

/// A future that was polled once.
enum Started<'a, T> {
    Done(T),
    Waiting(Pin<Box<dyn Future<Output = T> + Send + 'a>>),
}

async fn start<'a, T>(future: impl Future<Output = T> + Send + 'a) -> Started<'a, T> {
    let mut future: Pin<Box<dyn Future<Output = T> + Send + 'a>> = Box::pin(future);
    match poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await {
        Poll::Ready(value) => Started::Done(value),
        Poll::Pending => Started::Waiting(future),
    }
}

impl<T> Started<'_, T> {
    async fn finish(self) -> T {
        match self {
            Started::Done(value) => value,
            Started::Waiting(future) => future.await,
        }
    }
}

impl<T, E> Started<'_, Result<T, E>> {
    fn has_failed(&self) -> bool {
        matches!(self, Started::Done(Err(_)))
    }
}
