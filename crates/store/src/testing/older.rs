//! Databases as an older release left them, to test migrations.

use rusqlite::Connection;
use tokio_postgres::{Client, NoTls};

use super::TestDatabase;
use crate::Location;
use crate::db::Db;
use crate::store::MIGRATIONS;

impl TestDatabase {
    /// Another one with the schema that this migration made and the rows of this one, as far as that schema has tables and columns
    /// for them.
    pub async fn as_of(&self, migration: &str) -> TestDatabase {
        let applied =
            MIGRATIONS.iter().position(|known| known.name == migration).expect("there is such a migration");
        let older = self.another().await;
        Db::open(older.location(), &MIGRATIONS[..=applied])
            .await
            .expect("migrations can be applied")
            .close()
            .await;
        match (self.location(), older.location()) {
            (Location::Sqlite(_), Location::Sqlite(_)) => {
                copy_sqlite(self, &older).expect("rows can be copied");
            }
            (Location::Postgres(from), Location::Postgres(to)) => {
                copy_postgres(from, to).await.expect("rows can be copied");
            }
            _ => unreachable!("both are of the same kind"),
        }
        older
    }
}

fn copy_sqlite(from: &TestDatabase, to: &TestDatabase) -> Result<(), rusqlite::Error> {
    let connection = Connection::open(to.path())?;
    connection.execute_batch("pragma foreign_keys = off")?;
    connection.execute("attach database $1 as newer", [from.path().display().to_string()])?;
    let tables = "select name from main.sqlite_master where type = 'table' and name not like 'sqlite_%'
        and name in (select name from newer.sqlite_master)";
    let shared = "select group_concat(name, ', ') from pragma_table_info($1, 'main')
        where name in (select name from pragma_table_info($1, 'newer'))";
    let tables: Vec<String> =
        connection.prepare(tables)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for table in tables {
        let columns: String = connection.query_row(shared, [&table], |row| row.get(0))?;
        connection.execute_batch(&format!(
            "delete from main.{table}; insert into main.{table} ({columns}) select {columns} from newer.{table}"
        ))?;
    }
    Ok(())
}

/// As JSON, of which each side takes the columns it has.
async fn copy_postgres(from: &str, to: &str) -> Result<(), tokio_postgres::Error> {
    let (from, to) = (connected(from).await?, connected(to).await?);
    // Rows may come before those they refer to.
    to.batch_execute("set session_replication_role = replica").await?;
    let tables = "select table_name::text from information_schema.tables
        where table_schema = 'selfmade' and table_name <> 'schema_version'";
    let newer: Vec<String> = from.query(tables, &[]).await?.iter().map(|row| row.get(0)).collect();
    for table in to.query(tables, &[]).await?.iter().map(|row| row.get::<_, String>(0)) {
        if !newer.contains(&table) {
            continue;
        }
        let rows = format!("select coalesce(json_agg(line), '[]')::text from selfmade.{table} as line");
        let rows: String = from.query_one(&rows, &[]).await?.get(0);
        to.batch_execute(&format!("delete from selfmade.{table}")).await?;
        let insert = format!(
            "insert into selfmade.{table} select * from json_populate_recordset(null::selfmade.{table}, $1::text::json)"
        );
        to.execute(&insert, &[&rows]).await?;
    }
    Ok(())
}

async fn connected(url: &str) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}
