//! Reads see what was acknowledged, and several of them one moment.

use super::{id, insert, names, only, open, write};
use crate::db::{Batch, Db};
use crate::testing::TestDatabase;
use crate::{Error, on_both};

const COUNT: &str = "select count from things where id = $1";

on_both! {
    async fn what_was_acknowledged_is_read_in_every_way(database: &TestDatabase) {
        let db = open(database).await;
        for n in 1..50 {
            insert(&db, n, &n.to_string(), n as i64).await;
            assert_eq!(db.optional(COUNT, [id(n)], |row| row.int(0)).await.unwrap(), Some(n as i64));
            assert_eq!(db.query(COUNT, [id(n)], |row| row.int(0)).await.unwrap(), [n as i64]);
        }
    }

    async fn a_row_that_is_not_there_is_none_or_an_error(database: &TestDatabase) {
        let db = open(database).await;
        assert_eq!(db.optional(COUNT, [id(1)], |row| row.int(0)).await.unwrap(), None);
        assert!(matches!(db.one(COUNT, [id(1)], |row| row.int(0)).await, Err(Error::NoRow { sql: COUNT })));
    }

    async fn reads_of_one_snapshot_agree_while_others_write(database: &TestDatabase) {
        let db = open(database).await;
        insert(&db, 1, "a", 100).await;
        insert(&db, 2, "b", 0).await;
        let mover = tokio::spawn(move_back_and_forth(db.clone()));
        while !mover.is_finished() {
            let reads = vec![(COUNT.into(), vec![id(1)]), (COUNT.into(), vec![id(2)])];
            let answers = db.read(reads).await.unwrap();
            assert_eq!(answers[0][0].int(0).unwrap() + answers[1][0].int(0).unwrap(), 100);
        }
        mover.await.unwrap();
    }

    async fn a_statement_that_makes_no_sense_is_quoted(database: &TestDatabase) {
        let db = open(database).await;
        let error = db.query("select nothing from nowhere", [], |row| row.int(0)).await.unwrap_err();
        assert!(error.to_string().starts_with("`select nothing from nowhere` failed: "), "{error}");
        let two = vec![("select 1".into(), vec![]), ("select nothing from nowhere".into(), vec![])];
        assert!(matches!(db.read(two).await, Err(Error::Statement { .. })));
        assert!(names(&db).await.is_empty());
    }

    async fn a_read_cannot_write(database: &TestDatabase) {
        let db = open(database).await;
        let reads = vec![("select 1".into(), vec![]), ("delete from things".into(), vec![])];
        assert!(matches!(db.read(reads).await, Err(Error::ReadOnly { .. })));
    }
}

async fn move_back_and_forth(db: Db) {
    for n in 0..300 {
        let amount = if n % 2 == 0 { 10 } else { -10 };
        let mut batch = Batch::new();
        batch.push("update things set count = count - $1 where name = 'a'", [amount.into()]);
        batch.push("update things set count = count + $1 where name = 'b'", [amount.into()]);
        write(&db, batch).await.unwrap();
    }
}

#[tokio::test]
async fn postgres_names_a_type_that_sqlite_lacks_before_anything_is_written() {
    let database = TestDatabase::postgres().await;
    let db = open(&database).await;
    let mut batch = only(super::INSERT, super::thing(1, "a", 1));
    batch.push("select sum(count) from things", []);
    let error = write(&db, batch).await.unwrap_err();
    let expected = "column 0 should be of a type that both databases have (`cast` it) but is `numeric`";
    assert_eq!(error.to_string(), expected);
    assert!(names(&db).await.is_empty());
}
