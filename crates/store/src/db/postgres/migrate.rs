//! Applies migrations to a PostgreSQL database; the table `schema_version` has a row for each it has seen.

use deadpool_postgres::{Object, Transaction};

use super::fault::Fault;
use crate::Error;
use crate::db::Migration;
use crate::db::migration::newest;

/// Chosen once: the number under which all of us queue at the server to migrate a database ("selfmade" in ASCII).
const LOCK: i64 = 0x7365_6c66_6d61_6465;

/// Every step takes the lock and looks at the version again, so servers that start together apply each migration once
/// between them.
pub(super) async fn migrate(
    client: &mut Object,
    server: &str,
    migrations: &[Migration],
) -> Result<(), Error> {
    while step(client, server, migrations).await? {}
    Ok(())
}

/// One migration in one transaction; says whether there was one to apply.
async fn step(client: &mut Object, server: &str, migrations: &[Migration]) -> Result<bool, Error> {
    let tell = |error| Fault::of("migrate")(error).into_error(server);
    let transaction = client.transaction().await.map_err(tell)?;
    transaction.execute("select pg_advisory_xact_lock($1)", &[&LOCK]).await.map_err(tell)?;
    if !is_ours(&transaction).await.map_err(tell)? {
        return Err(Error::Foreign { database: format!("{server}, schema `selfmade`") });
    }
    let found = version(&transaction).await.map_err(tell)?;
    let known = newest(migrations);
    if found > known {
        return Err(Error::Newer { database: server.to_owned(), found, known });
    }
    let Some(migration) = migrations.get(found as usize) else { return Ok(false) };
    apply(&transaction, migration, found + 1).await.map_err(|error| Error::Migration {
        database: server.to_owned(),
        migration: migration.name,
        source: Box::new(Fault::of(migration.name)(error).into_error(server)),
    })?;
    transaction.commit().await.map_err(tell)?;
    Ok(true)
}

/// A schema of our name with tables but without ours was made by someone else.
async fn is_ours(transaction: &Transaction<'_>) -> Result<bool, tokio_postgres::Error> {
    let sql = "select to_regclass('selfmade.schema_version') is not null
                   or not exists (select from pg_class where relnamespace = to_regnamespace('selfmade'))";
    Ok(transaction.query_one(sql, &[]).await?.get(0))
}

/// Creates what is missing only if it is missing: `create schema if not exists` would demand the right to create even
/// where an administrator has made the schema for us.
async fn version(transaction: &Transaction<'_>) -> Result<u32, tokio_postgres::Error> {
    let found = transaction
        .query_one(
            "select to_regnamespace('selfmade') is null, to_regclass('selfmade.schema_version') is null",
            &[],
        )
        .await?;
    if found.get(0) {
        transaction.batch_execute("create schema selfmade").await?;
    }
    if found.get(1) {
        transaction
            .batch_execute(
                "create table selfmade.schema_version (
                     version integer primary key,
                     migration text not null,
                     applied_at timestamptz not null default now()
                 )",
            )
            .await?;
    }
    let row =
        transaction.query_one("select coalesce(max(version), 0) from selfmade.schema_version", &[]).await?;
    Ok(u32::try_from(row.get::<_, i32>(0)).unwrap_or(0))
}

async fn apply(
    transaction: &Transaction<'_>,
    migration: &Migration,
    version: u32,
) -> Result<(), tokio_postgres::Error> {
    transaction.batch_execute(migration.postgres).await?;
    let version = i32::try_from(version).unwrap_or(i32::MAX);
    let sql = "insert into selfmade.schema_version (version, migration) values ($1, $2)";
    transaction.execute(sql, &[&version, &migration.name]).await.map(drop)
}
