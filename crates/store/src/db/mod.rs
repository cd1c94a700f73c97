//! The one concrete database of the store: SQLite in a file, or PostgreSQL on a server.
//!
//! It executes statements, one transaction at a time, and makes both databases behave alike: numbered parameters, the same
//! kinds of values, the same errors. The statements themselves belong to the methods of the store.

mod announcer;
mod batch;
mod location;
mod migration;
mod postgres;
mod row;
mod sqlite;
#[cfg(test)]
mod tests;
mod value;

use self::announcer::{Announcer, HandedOver};
pub use self::batch::Durability;
pub(crate) use self::batch::{Batch, Sql};
pub use self::location::Location;
pub(crate) use self::migration::Migration;
pub(crate) use self::row::Row;
pub(crate) use self::sqlite::backup;
pub(crate) use self::value::Value;
use crate::outage::Outages;
use crate::{Activity, Error};

/// A statement that only reads, with its values.
pub(crate) type Read = (Sql, Vec<Value>);

/// A handle on the database; clones share its connections.
#[derive(Clone)]
pub(crate) struct Db {
    database: Database,
    pub(crate) outages: Outages,
    announcer: Announcer,
    /// What a test asked to happen on the way to the database.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) probe: crate::testing::Probe,
}

#[derive(Clone)]
enum Database {
    Sqlite(sqlite::Sqlite),
    Postgres(postgres::Postgres),
}

impl Db {
    /// Opens the database and brings its schema up to date. A fresh one is created; one that is foreign, damaged or of
    /// a newer selfmade is refused and left as it is.
    pub(crate) async fn open(location: &Location, migrations: &'static [Migration]) -> Result<Db, Error> {
        let announcer = Announcer::default();
        let database = match location {
            Location::Sqlite(path) => {
                sqlite::Sqlite::open(path, migrations, &announcer).await.map(Database::Sqlite)
            }
            Location::Postgres(url) => {
                postgres::Postgres::open(url, migrations, &announcer).await.map(Database::Postgres)
            }
        };
        Ok(Db {
            database: database?,
            outages: Outages::default(),
            announcer,
            #[cfg(any(test, feature = "testing"))]
            probe: crate::testing::Probe::default(),
        })
    }

    /// All rows of a statement that may scan; SQLite does so on a thread of its own.
    pub(crate) async fn query<T>(
        &self,
        sql: impl Into<Sql>,
        values: impl Into<Vec<Value>>,
        from_row: impl Fn(&Row) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let answers = self.read(vec![(sql.into(), values.into())]).await?;
        answers.iter().flatten().map(from_row).collect()
    }

    /// The first row, if there is one; a look-up like [`few`](Db::few).
    pub(crate) async fn optional<T>(
        &self,
        sql: impl Into<Sql>,
        values: impl Into<Vec<Value>>,
        from_row: impl Fn(&Row) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        self.look_up(sql, values).await?.first().map(from_row).transpose()
    }

    /// All rows of a look-up by key that finds few: SQLite answers on the calling thread, which is quicker than waking
    /// another, so the statement must not scan.
    pub(crate) async fn few<T>(
        &self,
        sql: impl Into<Sql>,
        values: impl Into<Vec<Value>>,
        from_row: impl Fn(&Row) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        self.look_up(sql, values).await?.iter().map(from_row).collect()
    }

    async fn look_up(&self, sql: impl Into<Sql>, values: impl Into<Vec<Value>>) -> Result<Vec<Row>, Error> {
        let read = (sql.into(), values.into());
        let fault = self.intercept(|| vec![read.0]).await?;
        let rows = match &self.database {
            Database::Sqlite(sqlite) => sqlite.look_up(read).await,
            Database::Postgres(postgres) => postgres.query(read).await,
        };
        fault.then(rows).await
    }

    /// The first row, which has to exist; a look-up like [`few`](Db::few).
    pub(crate) async fn one<T>(
        &self,
        sql: impl Into<Sql>,
        values: impl Into<Vec<Value>>,
        from_row: impl Fn(&Row) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let sql = sql.into();
        let no_row = Error::NoRow { sql: if self.is_sqlite() { sql.sqlite } else { sql.postgres } };
        self.optional(sql, values, from_row).await?.ok_or(no_row)
    }

    /// Several reads that see the same moment; one answer for each.
    pub(crate) async fn read(&self, reads: Vec<Read>) -> Result<Vec<Vec<Row>>, Error> {
        let fault = self.intercept(|| reads.iter().map(|(sql, _)| *sql).collect()).await?;
        let answers = match &self.database {
            Database::Sqlite(sqlite) => sqlite.read(reads).await,
            Database::Postgres(postgres) => postgres.read(reads).await,
        };
        fault.then(answers).await
    }

    /// Executes a batch as one transaction and returns the rows of each of its statements. Once submitted, it
    /// is executed even if the caller stops waiting.
    pub(crate) async fn write(&self, batch: Batch, durability: Durability) -> Result<Vec<Vec<Row>>, Error> {
        let bytes = batch.bytes();
        let written = self.write_unheard(batch, durability).await;
        self.outages.observe(&written, bytes);
        written
    }

    async fn write_unheard(&self, batch: Batch, durability: Durability) -> Result<Vec<Vec<Row>>, Error> {
        let fault = self.intercept(|| batch.steps().iter().map(|step| step.sql).collect()).await?;
        #[cfg(any(test, feature = "testing"))]
        self.probe.intercept_write()?;
        let answers = match &self.database {
            Database::Sqlite(sqlite) => {
                let handed_over = HandedOver::new(&self.announcer, batch.changed().clone());
                let answers = sqlite.write(batch, durability).await;
                handed_over.done(&answers);
                answers
            }
            Database::Postgres(postgres) => postgres.write(batch, durability).await,
        };
        fault.then(answers).await
    }

    async fn listen(&self) {
        match &self.database {
            // The one other process that may write a file at the same time has no way to tell.
            Database::Sqlite(_) => {}
            Database::Postgres(postgres) => postgres.listen().await,
        }
    }

    /// Gives some free pages of a SQLite file back to the disk.
    pub(crate) async fn give_back(&self) -> Result<(), Error> {
        self.maintain(sqlite::Maintenance::GiveBack).await
    }

    /// Writes a SQLite file again.
    pub(crate) async fn rewrite(&self) -> Result<(), Error> {
        self.maintain(sqlite::Maintenance::Rewrite).await
    }

    async fn maintain(&self, what: sqlite::Maintenance) -> Result<(), Error> {
        match &self.database {
            Database::Sqlite(sqlite) => sqlite.maintain(what).await,
            // Autovacuum does it.
            Database::Postgres(_) => Ok(()),
        }
    }

    /// Finishes submitted work and closes the database. Every later use, also of a clone, returns
    /// [`Error::Closed`].
    pub(crate) async fn close(&self) {
        match &self.database {
            Database::Sqlite(sqlite) => sqlite.close().await,
            Database::Postgres(postgres) => postgres.close().await,
        }
    }

    /// What was written so far, and what waits for it.
    pub(crate) fn activity(&self) -> Activity {
        match &self.database {
            Database::Sqlite(sqlite) => sqlite.activity(),
            Database::Postgres(postgres) => postgres.activity(),
        }
    }

    pub(crate) fn is_sqlite(&self) -> bool {
        matches!(self.database, Database::Sqlite(_))
    }

    /// Says whether the call that now leaves for the database fails, as a test asked.
    #[cfg(any(test, feature = "testing"))]
    async fn intercept(
        &self,
        statements: impl FnOnce() -> Vec<Sql>,
    ) -> Result<crate::testing::Intercepted, Error> {
        self.probe.intercept(|| statements().iter().map(|sql| sql.sqlite).collect()).await
    }

    #[cfg(not(any(test, feature = "testing")))]
    #[allow(
        clippy::unused_async,
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "as the one that tests use"
    )]
    async fn intercept(&self, _: impl FnOnce() -> Vec<Sql>) -> Result<NotIntercepted, Error> {
        Ok(NotIntercepted)
    }
}

/// Nothing happens on the way to the database.
#[cfg(not(any(test, feature = "testing")))]
struct NotIntercepted;

#[cfg(not(any(test, feature = "testing")))]
impl NotIntercepted {
    #[allow(clippy::unused_async, reason = "as the one that tests use")]
    async fn then<T>(self, answer: Result<T, Error>) -> Result<T, Error> {
        answer
    }
}
