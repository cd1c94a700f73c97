//! PostgreSQL: a pool of connections to a server, batches sent without waiting in between.
//!
//! `connect` turns a URL into connections, `outbox` and `listener` tell other processes and hear them, `migrate` brings the schema up to date, `wire` translates values, `pipeline` sends
//! statements ahead of their answers, `guard` lets the server check what must hold and `fault` words what went wrong.
//!
//! All tables are in the schema `selfmade`, which is the only one that connections search. A server's databases are often
//! assigned by someone else and shared, so other programs' tables are no reason to refuse one; in our own schema they cannot
//! conflict.

mod connect;
mod fault;
mod guard;
mod listener;
mod migrate;
mod outbox;
mod pipeline;
mod wire;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use deadpool_postgres::{Object, Pool};

use self::connect::Connector;
pub(super) use self::connect::describe_url;
use self::fault::Fault;
use self::outbox::Outbox;
use self::pipeline::{Prepared, prepare};
use self::wire::Parameter;
use super::announcer::{Announcer, may_be_committed};
use super::batch::{Step, Values};
use super::{Batch, Durability, Migration, Read, Row};
use crate::changes::Changes;
use crate::{Activity, Error};

/// When a batch that the server chose as the victim of a deadlock is played again. At once it would often snatch the
/// row from the very batch it should let pass, and meet the same deadlock.
const PAUSES_MS: [u64; 5] = [5, 10, 20, 40, 80];

#[derive(Clone)]
pub(crate) struct Postgres {
    pool: Pool,
    connector: Arc<Connector>,
    announcer: Announcer,
    outbox: Outbox,
    written: Arc<AtomicU64>,
}

impl Postgres {
    pub(super) async fn open(
        url: &str,
        migrations: &'static [Migration],
        announcer: &Announcer,
    ) -> Result<Postgres, Error> {
        let connector = Arc::new(Connector::from_url(url)?);
        let postgres = Postgres {
            pool: connector.pool()?,
            connector,
            announcer: announcer.clone(),
            outbox: Outbox::default(),
            written: Arc::default(),
        };
        let mut client = postgres.client().await?;
        migrate::migrate(&mut client, &postgres.connector.server, migrations).await?;
        Ok(postgres)
    }

    pub(super) async fn query(&self, read: Read) -> Result<Vec<Row>, Error> {
        Ok(self.read(vec![read]).await?.pop().unwrap_or_default())
    }

    /// A connection may have died while it lay in the pool. Reading again does no harm, so a read is tried again,
    /// on a new connection.
    pub(super) async fn read(&self, reads: Vec<Read>) -> Result<Vec<Vec<Row>>, Error> {
        match self.try_read(&reads).await {
            Err(Error::ConnectionLost { .. }) => self.try_read(&reads).await,
            answer => answer,
        }
    }

    /// The batch runs in a task of its own: a caller that stops waiting must not leave a transaction open.
    pub(super) async fn write(&self, batch: Batch, durability: Durability) -> Result<Vec<Vec<Row>>, Error> {
        let postgres = self.clone();
        self.written.fetch_add(1, Ordering::Relaxed);
        let writing = tokio::spawn(async move {
            let written = postgres.write_to_the_end(&batch, durability).await;
            if may_be_committed(&written) {
                postgres.announce(batch.changed());
            }
            written
        });
        writing.await.unwrap_or(Err(Error::Closed))
    }

    fn announce(&self, changes: &Changes) {
        self.announcer.notify(changes);
        if let Some(node) = self.announcer.node().filter(|_| !changes.is_empty()) {
            self.outbox.add(self, node, changes);
        }
    }

    /// Every batch is a transaction of its own; those wait that find no free connection.
    pub(super) fn activity(&self) -> Activity {
        let written = self.written.load(Ordering::Relaxed);
        Activity { waiting: self.pool.status().waiting as u64, batches: written, commits: written }
    }

    pub(super) async fn close(&self) {
        self.outbox.emptied().await;
        self.pool.close();
    }

    async fn client(&self) -> Result<Object, Error> {
        self.pool.get().await.map_err(|error| fault::no_connection(&self.connector.server, error))
    }

    async fn try_read(&self, reads: &[Read]) -> Result<Vec<Vec<Row>>, Error> {
        let client = self.client().await?;
        let answer = read(&client, reads).await;
        self.answer(client, answer)
    }

    async fn write_to_the_end(&self, batch: &Batch, durability: Durability) -> Result<Vec<Vec<Row>>, Error> {
        let client = self.client().await?;
        for pause in PAUSES_MS.map(Duration::from_millis) {
            match write(&client, batch, durability).await {
                Err(fault) if fault.may_be_repeated() => let_pass(pause).await,
                answer => return self.answer(client, answer),
            }
        }
        let answer = write(&client, batch, durability).await;
        self.answer(client, answer)
    }

    fn answer<T>(&self, client: Object, answer: Result<T, Fault>) -> Result<T, Error> {
        answer.map_err(|fault| {
            let error = fault.into_error(&self.connector.server);
            if let Error::ConnectionLost { .. } = error {
                // What killed this connection has most likely killed those that lie idle, too. Not all of them know
                // yet, so none may be handed out again.
                drop(Object::take(client));
                self.pool.retain(|_, _| false);
            }
            error
        })
    }
}

#[allow(clippy::disallowed_methods, reason = "the server has no event for the end of another's transaction")]
async fn let_pass(pause: Duration) {
    tokio::time::sleep(pause).await;
}

async fn read(client: &Object, reads: &[Read]) -> Result<Vec<Vec<Row>>, Fault> {
    let mut prepared = Vec::with_capacity(reads.len());
    for (sql, values) in reads {
        prepared.push(prepare(client, sql.postgres, sql.postgres, wire::row_of(values)).await?);
    }
    if let [single] = prepared.as_slice() {
        return Ok(vec![single.run(client).await?.rows]);
    }
    pipeline::snapshot(client, &prepared).await
}

async fn write(client: &Object, batch: &Batch, durability: Durability) -> Result<Vec<Vec<Row>>, Fault> {
    let mut prepared = Vec::with_capacity(batch.steps().len());
    for step in batch.steps() {
        let sql = step.sql.postgres;
        let mut statement = match &step.values {
            Values::Single(values) => prepare_single(client, step, wire::row_of(values)).await?,
            Values::Bulk(rows) if rows.is_empty() => Prepared::nothing(sql),
            Values::Bulk(rows) => prepare(client, sql, sql, wire::columns_of(sql, rows)?).await?,
        };
        statement.guard = step.guard;
        prepared.push(statement);
    }
    pipeline::transaction(client, &prepared, durability).await
}

async fn prepare_single<'a>(
    client: &Object,
    step: &Step,
    values: Vec<Parameter<'a>>,
) -> Result<Prepared<'a>, Fault> {
    let sql = step.sql.postgres;
    match step.guard.and_then(|_| guard::checked(sql)) {
        Some(checked) => prepare(client, sql, &checked, values).await.map(Prepared::checked),
        None => prepare(client, sql, sql, values).await,
    }
}
