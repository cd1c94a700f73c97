//! The schema grows step by step, once, whoever comes first.

use super::{SCHEMA, insert, names, open};
use crate::db::{Db, Migration};
use crate::testing::TestDatabase;
use crate::{Error, on_both};

const SECOND: Migration = Migration {
    name: "0002-colour",
    sqlite: "alter table things add column colour text",
    postgres: "alter table things add column colour text",
};
const BROKEN: Migration = Migration {
    name: "0002-broken",
    sqlite: "create table half (n integer); create table things (n integer)",
    postgres: "create table half (n bigint); create table things (n bigint)",
};
const LONGER: &[Migration] = &[SCHEMA[0], SECOND];
const HALF: &[Migration] = &[SCHEMA[0], BROKEN];

on_both! {
    async fn opening_again_keeps_what_is_there(database: &TestDatabase) {
        let db = open(database).await;
        insert(&db, 1, "a", 1).await;
        db.close().await;
        assert_eq!(names(&open(database).await).await, ["a"]);
    }

    async fn a_new_migration_is_applied_to_old_rows(database: &TestDatabase) {
        insert(&open(database).await, 1, "a", 1).await;
        let db = Db::open(database.location(), LONGER).await.unwrap();
        let colour = db.one("select colour from things", [], |row| row.optional_text(0)).await.unwrap();
        assert_eq!(colour, None);
    }

    async fn a_newer_schema_is_refused_with_both_numbers(database: &TestDatabase) {
        Db::open(database.location(), LONGER).await.unwrap();
        let error = Db::open(database.location(), SCHEMA).await.err().unwrap();
        assert!(matches!(error, Error::Newer { found: 2, known: 1, .. }), "{error}");
        assert!(error.to_string().contains("has schema 2, but this selfmade supports only up to 1"), "{error}");
    }

    async fn a_migration_that_fails_is_undone_and_named(database: &TestDatabase) {
        let error = Db::open(database.location(), HALF).await.err().unwrap();
        assert!(matches!(error, Error::Migration { migration: "0002-broken", .. }), "{error}");
        let db = Db::open(database.location(), LONGER).await.unwrap();
        assert!(db.query("select n from half", [], |row| row.int(0)).await.is_err());
    }

    async fn many_who_open_a_fresh_database_at_once_all_succeed(database: &TestDatabase) {
        let open = || {
            let location = database.location().clone();
            tokio::spawn(async move { Db::open(&location, LONGER).await })
        };
        let opening: Vec<_> = (0..8).map(|_| open()).collect();
        for (n, db) in opening.into_iter().enumerate() {
            insert(&db.await.unwrap().unwrap(), n as u128, &n.to_string(), 1).await;
        }
        assert_eq!(names(&super::open_with(database, LONGER).await).await.len(), 8);
    }
}

#[tokio::test]
async fn other_tables_beside_our_schema_do_not_matter() {
    let database = TestDatabase::postgres().await;
    database.execute("create table things (theirs text)").await;
    insert(&open(&database).await, 1, "a", 1).await;
}

#[tokio::test]
async fn a_schema_of_our_name_that_others_made_is_refused() {
    let database = TestDatabase::postgres().await;
    database.execute("create schema selfmade; create table selfmade.poems (poem text)").await;
    let error = Db::open(database.location(), SCHEMA).await.err().unwrap();
    assert!(matches!(error, Error::Foreign { .. }), "{error}");
}

#[tokio::test]
async fn an_empty_schema_made_for_us_is_used_without_the_right_to_create_one() {
    let database = TestDatabase::postgres().await;
    let name = database.location().to_string();
    assert!(name.contains("database `selfmade_test_"), "{name}");
    let role = "selfmade_test_limited";
    database
        .execute(&format!(
            "do $$ begin create role {role} login; exception when duplicate_object or unique_violation then end $$;
             create schema selfmade; grant usage, create on schema selfmade to {role}"
        ))
        .await;
    let limited = super::as_role(&database, role);
    insert(&Db::open(&limited, SCHEMA).await.unwrap(), 1, "a", 1).await;
}

#[tokio::test]
async fn sqlite_refuses_a_migration_that_leaves_rows_without_their_parent() {
    const ORPHANS: &[Migration] = &[
        SCHEMA[0],
        Migration {
            name: "0002-orphans",
            sqlite: "insert into parts (part, thing) values (1, x'00')",
            postgres: "",
        },
    ];
    let database = TestDatabase::sqlite();
    let error = Db::open(database.location(), ORPHANS).await.err().unwrap();
    assert!(matches!(error, Error::Migration { migration: "0002-orphans", .. }), "{error}");
    assert!(names(&open(&database).await).await.is_empty());
}
