//! Batches happen whole or not at all.

use std::task::{Context, Waker};

use super::{INSERT, id, insert, names, only, open, thing, write};
use crate::db::{Batch, Db, Durability, Sql, Value};
use crate::testing::TestDatabase;
use crate::{Error, on_both};

const BULK: Sql = Sql {
    sqlite: "insert into things (id, name, count, flag, note) values ($1, $2, $3, $4, $5) returning name",
    postgres: "insert into things (id, name, count, flag, note)
               select * from unnest($1::uuid[], $2::text[], $3::bigint[], $4::boolean[], $5::text[]) returning name",
};

on_both! {
    async fn a_batch_that_fails_leaves_nothing(database: &TestDatabase) {
        let db = open(database).await;
        let mut batch = Batch::new();
        batch.push(INSERT, thing(1, "a", 1));
        batch.push("insert into things (id) values ($1)", [id(2)]);
        batch.push(INSERT, thing(3, "c", 3));
        assert!(write(&db, batch).await.is_err());
        assert!(names(&db).await.is_empty());
    }

    async fn a_value_that_cannot_be_sent_leaves_nothing(database: &TestDatabase) {
        let db = open(database).await;
        let mut batch = Batch::new();
        batch.push(INSERT, thing(1, "a", 1));
        batch.push(INSERT, [id(2), "b".into(), u64::MAX.into()]);
        batch.push(INSERT, thing(3, "c", 3));
        assert!(write(&db, batch).await.is_err());
        assert!(names(&db).await.is_empty());
        insert(&db, 4, "d", 4).await;
        assert_eq!(names(&db).await, ["d"]);
    }

    async fn a_guard_that_touches_a_row_lets_the_batch_pass(database: &TestDatabase) {
        let db = open(database).await;
        insert(&db, 1, "a", 1).await;
        let mut batch = Batch::new();
        batch.guard("update things set count = 2 where count = $1", [1.into()], "the count is 1");
        batch.guard("select 1 from things where name = $1", ["a".into()], "`a` exists");
        batch.push(INSERT, thing(2, "b", 2));
        write(&db, batch).await.unwrap();
        assert_eq!(names(&db).await, ["a", "b"]);
    }

    async fn a_guard_that_touches_nothing_undoes_the_batch(database: &TestDatabase) {
        let db = open(database).await;
        insert(&db, 1, "a", 1).await;
        for guard in ["update things set count = 2 where count = $1", "select 1 from things where count = $1"] {
            let mut batch = Batch::new();
            batch.push(INSERT, thing(2, "b", 2));
            batch.guard(guard, [7.into()], "the count is 7");
            batch.push(INSERT, thing(3, "c", 3));
            let error = write(&db, batch).await.unwrap_err();
            assert_eq!(error.to_string(), "nothing was written, because this no longer holds: the count is 7");
        }
        assert_eq!(names(&db).await, ["a"]);
    }

    async fn each_statement_answers_what_it_returned(database: &TestDatabase) {
        let db = open(database).await;
        let mut batch = Batch::new();
        batch.push(INSERT, thing(1, "a", 1));
        batch.push("insert into things (id, name, count) values ($1, $2, $3) returning name, count + 1", thing(2, "b", 2));
        batch.push("update things set count = 9 returning name", []);
        let answers = write(&db, batch).await.unwrap();
        assert_eq!(answers.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!((answers[1][0].text(0).unwrap(), answers[1][0].int(1).unwrap()), ("b".to_owned(), 3));
    }

    async fn a_bulk_writes_many_rows_with_nulls(database: &TestDatabase) {
        let db = open(database).await;
        let row = |n: i64| {
            let (count, flag) = if n % 2 == 0 { (Value::Null, true.into()) } else { (n.into(), Value::Null) };
            vec![id(n as u128), format!("{n:04}").into(), count, flag, Value::Null]
        };
        let mut batch = Batch::new();
        batch.bulk(BULK, (0..1000).map(row).collect());
        assert_eq!(write(&db, batch).await.unwrap()[0].len(), 1000);
        let sql = "select count(*), count(count), count(flag), count(note), cast(sum(count) as bigint) from things";
        let counts = db.one(sql, [], |row| (0..5).map(|i| row.int(i)).collect::<Result<Vec<_>, _>>()).await.unwrap();
        assert_eq!(counts, [1000, 500, 500, 0, 250_000]);
    }

    async fn a_bulk_of_no_rows_and_a_batch_of_no_statements_do_nothing(database: &TestDatabase) {
        let db = open(database).await;
        let mut batch = Batch::new();
        batch.bulk(BULK, Vec::new());
        batch.push(INSERT, thing(1, "a", 1));
        assert_eq!(write(&db, batch).await.unwrap(), [vec![], vec![]]);
        assert!(write(&db, Batch::new()).await.unwrap().is_empty());
    }

    async fn a_bulk_with_one_bad_row_leaves_nothing(database: &TestDatabase) {
        let db = open(database).await;
        let row = |n: u128, name: &str| vec![id(n), name.into(), 1.into(), true.into(), Value::Null];
        let mut batch = Batch::new();
        batch.bulk(BULK, vec![row(1, "a"), row(2, "b"), row(3, "a")]);
        assert!(matches!(write(&db, batch).await, Err(Error::Unique { .. })));
        assert!(names(&db).await.is_empty());
    }

    async fn a_key_that_is_taken_is_a_unique_error_of_its_table(database: &TestDatabase) {
        let db = open(database).await;
        insert(&db, 1, "a", 1).await;
        for taken in [thing(1, "b", 1), thing(2, "a", 1)] {
            let error = write(&db, only(INSERT, taken)).await.unwrap_err();
            assert!(matches!(&error, Error::Unique { table, .. } if table == "things"), "{error}");
        }
    }

    async fn a_missing_or_needed_row_is_a_foreign_key_error(database: &TestDatabase) {
        let db = open(database).await;
        let part = "insert into parts (part, thing) values ($1, $2)";
        assert!(matches!(write(&db, only(part, [1.into(), id(1)])).await, Err(Error::ForeignKey { .. })));
        insert(&db, 1, "a", 1).await;
        write(&db, only(part, [1.into(), id(1)])).await.unwrap();
        assert!(matches!(write(&db, only("delete from things", [])).await, Err(Error::ForeignKey { .. })));
    }

    async fn one_bad_batch_among_a_hundred_at_once_leaves_the_others(database: &TestDatabase) {
        let db = open(database).await;
        insert(&db, 1000, "taken", 1).await;
        let writers: Vec<_> = (0..100).map(|n| tokio::spawn(write_pair(db.clone(), n))).collect();
        let mut failed = Vec::new();
        for (n, writer) in writers.into_iter().enumerate() {
            if let Err(error) = writer.await.unwrap() {
                assert!(matches!(error, Error::Unique { .. }), "{error}");
                failed.push(n);
            }
        }
        assert_eq!(failed, [42]);
        assert_eq!(names(&db).await.len(), 1 + 2 * 99);
    }

    async fn what_is_handed_over_is_written_though_the_caller_goes_away(database: &TestDatabase) {
        let db = open(database).await;
        let mut batch = only(INSERT, thing(1, "a", 1));
        batch.guard("update things set count = 2 where id = $1", [id(1)], "it exists");
        let mut writing = Box::pin(write(&db, batch));
        // Polled once it is handed over; a quick writer may even have answered.
        let _ = writing.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        drop(writing);
        while names(&db).await != ["a"] {}
    }

    async fn a_commit_survives_what_it_was_asked_to(database: &TestDatabase) {
        let db = open(database).await;
        let asked = Sql { sqlite: "pragma synchronous", postgres: "show synchronous_commit" };
        let (process, power) = if db.is_sqlite() { ("1", "2") } else { ("off", "on") };
        for (durability, expected) in [
            (Durability::Power, power),
            (Durability::Process, process),
            (Durability::Process, process),
            (Durability::Power, power),
        ] {
            let mut batch = only(INSERT, thing(1, "a", 1));
            batch.push(asked, []);
            batch.push("delete from things", []);
            let answers = db.write(batch, durability).await.unwrap();
            let found = answers[1][0].text(0).or_else(|_| answers[1][0].int(0).map(|level| level.to_string()));
            assert_eq!(found.unwrap(), expected, "{durability:?}");
        }
    }

    async fn a_closed_database_says_so_and_keeps_what_was_written(database: &TestDatabase) {
        let db = open(database).await;
        insert(&db, 1, "a", 1).await;
        db.close().await;
        db.close().await;
        assert!(matches!(write(&db, only(INSERT, thing(2, "b", 2))).await, Err(Error::Closed)));
        assert!(matches!(db.query("select 1", [], |row| row.int(0)).await, Err(Error::Closed)));
        assert!(matches!(db.optional("select 1", [], |row| row.int(0)).await, Err(Error::Closed)));
        assert_eq!(names(&open(database).await).await, ["a"]);
    }
}

/// Two rows for each number; number 42 asks for a name that is taken, after its first row.
async fn write_pair(db: Db, n: i64) -> Result<(), Error> {
    let second = if n == 42 { "taken".to_owned() } else { format!("{n}-second") };
    let mut batch = Batch::new();
    batch.push(INSERT, thing(n as u128, &format!("{n}-first"), n));
    batch.push(INSERT, thing(n as u128 + 100, &second, n));
    write(&db, batch).await.map(drop)
}
