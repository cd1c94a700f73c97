//! What the database promises, tested on SQLite and on PostgreSQL alike wherever both make the promise.

mod batches;
mod files;
mod migrations;
mod outages;
mod processes;
mod reads;
mod urls;
mod values;

use uuid::Uuid;

use super::{Batch, Db, Durability, Location, Migration, Row, Sql, Value};
use crate::Error;
use crate::testing::TestDatabase;

pub(super) const SCHEMA: &[Migration] = &[Migration {
    name: "0001-things",
    sqlite: "create table things (id blob primary key, name text not null unique, count integer, weight real,
                                  flag integer, data blob, note text) strict;
             create table parts (part integer primary key, thing blob not null references things (id)) strict;",
    postgres: "create table things (id uuid primary key, name text not null unique, count bigint, weight float8,
                                    flag boolean, data bytea, note text);
               create table parts (part bigint primary key, thing uuid not null references things (id));",
}];

const INSERT: &str = "insert into things (id, name, count) values ($1, $2, $3)";

async fn open(database: &TestDatabase) -> Db {
    Db::open(database.location(), SCHEMA).await.unwrap()
}

fn id(number: u128) -> Value {
    Value::from(Uuid::from_u128(number))
}

fn thing(number: u128, name: &str, count: i64) -> [Value; 3] {
    [id(number), name.into(), count.into()]
}

/// A batch of one statement.
fn only(sql: impl Into<Sql>, values: impl Into<Vec<Value>>) -> Batch {
    let mut batch = Batch::new();
    batch.push(sql, values);
    batch
}

async fn write(db: &Db, batch: Batch) -> Result<Vec<Vec<Row>>, Error> {
    db.write(batch, Durability::Process).await
}

async fn insert(db: &Db, number: u128, name: &str, count: i64) {
    write(db, only(INSERT, thing(number, name, count))).await.unwrap();
}

async fn names(db: &Db) -> Vec<String> {
    db.query("select name from things order by name", [], |row| row.text(0)).await.unwrap()
}

async fn open_with(database: &TestDatabase, migrations: &'static [Migration]) -> Db {
    Db::open(database.location(), migrations).await.unwrap()
}

/// The same database, entered as someone else.
fn as_role(database: &TestDatabase, role: &str) -> Location {
    let Location::Postgres(url) = database.location() else { panic!("only PostgreSQL has roles") };
    let (_, address) = url.split_once('@').unwrap();
    Location::Postgres(format!("postgres://{role}@{address}"))
}
