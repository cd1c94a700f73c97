//! Every kind of value goes in and comes out the same on both databases.

use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

use super::{INSERT, id, insert, only, open, write};
use crate::db::{Row, Value};
use crate::testing::TestDatabase;
use crate::{Error, on_both};

const ALL: &str =
    "insert into things (id, name, count, weight, flag, data, note) values ($1, $2, $3, $4, $5, $6, $7)";
const READ: &str = "select id, name, count, weight, flag, data, note from things where name = $1";

on_both! {
    async fn parameters_are_bound_by_their_number_not_by_their_place(database: &TestDatabase) {
        let db = open(database).await;
        let sql = "select cast($2 as text), cast($1 as text), cast($3 as text), cast($3 as text)";
        let texts = |row: &Row| (0..4).map(|column| row.text(column)).collect::<Result<Vec<_>, _>>();
        let found = db.one(sql, ["one".into(), "two".into(), "three".into()], texts).await.unwrap();
        assert_eq!(found, ["two", "one", "three", "three"]);
    }

    async fn every_kind_of_value_comes_back_as_it_was_written(database: &TestDatabase) {
        let db = open(database).await;
        let time = Timestamp::from_microsecond(1_700_000_000_123_456).unwrap();
        let values = [id(7), "ä".into(), time.into(), 1.5.into(), true.into(), vec![0, 255].into(), "".into()];
        write(&db, only(ALL, values)).await.unwrap();
        db.one(READ, ["ä".into()], |row| {
            assert_eq!(row.uuid(0)?, Uuid::from_u128(7));
            assert_eq!((row.str(1)?, row.text(6)?), ("ä", String::new()));
            assert_eq!(row.timestamp(2)?, time);
            assert_eq!(row.float(3)?, 1.5);
            assert!(row.bool(4)?);
            assert_eq!(row.blob(5)?, [0, 255]);
            Ok(())
        })
        .await
        .unwrap();
    }

    async fn null_is_read_by_the_optional_getters_only(database: &TestDatabase) {
        let db = open(database).await;
        let none: Option<String> = None;
        let values = [id(1), "a".into(), Value::Null, Value::Null, Value::Null, Value::Null, none.into()];
        write(&db, only(ALL, values)).await.unwrap();
        let error = db.one(READ, ["a".into()], |row| row.int(2)).await.unwrap_err();
        assert_eq!(error.to_string(), "column 2 should be an integer but is null");
        let nothing = |row: &Row| {
            Ok((row.optional_int(2)?, row.optional_float(3)?, row.optional_bool(4)?, row.optional_blob(5)?))
        };
        assert_eq!(db.one(READ, ["a".into()], nothing).await.unwrap(), (None, None, None, None));
        assert_eq!(db.one(READ, ["a".into()], |row| row.optional_text(6)).await.unwrap(), None);
    }

    async fn a_column_of_another_kind_is_named(database: &TestDatabase) {
        let db = open(database).await;
        insert(&db, 1, "a", 1).await;
        let error = db.one(READ, ["a".into()], |row| row.int(1)).await.unwrap_err();
        assert_eq!(error.to_string(), "column 1 should be an integer but is text");
        let error = db.one(READ, ["a".into()], |row| row.int(9)).await.unwrap_err();
        assert_eq!(error.to_string(), "column 9 should be one of the columns but is beyond the 7 of the row");
    }

    async fn nul_in_text_becomes_its_picture(database: &TestDatabase) {
        let db = open(database).await;
        insert(&db, 1, "a\0b", 1).await;
        assert_eq!(super::names(&db).await, ["a\u{2400}b"]);
    }

    async fn json_keeps_its_nul_and_the_order_of_its_keys(database: &TestDatabase) {
        let db = open(database).await;
        let written = json!({ "z": "a\0b", "a": [1, 2.5, null] });
        let values = [id(1), "j".into(), 0.into(), 0.into(), false.into(), vec![].into(), (&written).into()];
        write(&db, only(ALL, values)).await.unwrap();
        let read: serde_json::Value = db.one(READ, ["j".into()], |row| row.json(6)).await.unwrap();
        assert_eq!(read, written);
        let text = db.one(READ, ["j".into()], |row| row.text(6)).await.unwrap();
        assert_eq!(text, written.to_string());
        let error = db.one(READ, ["j".into()], |row| row.json::<u8>(6)).await.unwrap_err();
        assert!(matches!(error, Error::Json { column: 6, .. }), "{error}");
    }

    async fn large_values_come_back_whole(database: &TestDatabase) {
        let db = open(database).await;
        let (text, bytes) = ("ü".repeat(2 << 20), vec![0xa5; 4 << 20]);
        let values = [id(1), "big".into(), i64::MIN.into(), f64::MAX.into(), true.into(), bytes.clone().into(), text.clone().into()];
        write(&db, only(ALL, values)).await.unwrap();
        let read = |row: &Row| Ok((row.int(2)?, row.float(3)?, row.blob(5)?, row.text(6)?));
        let found = db.one(READ, ["big".into()], read).await.unwrap();
        assert!(found == (i64::MIN, f64::MAX, bytes, text));
    }

    async fn a_number_no_column_holds_is_refused(database: &TestDatabase) {
        let db = open(database).await;
        let error = write(&db, only(INSERT, [id(1), "a".into(), u64::MAX.into()])).await.unwrap_err();
        assert!(matches!(&error, Error::Statement { .. }), "{error}");
        assert!(error.to_string().contains("an integer above 2^63 - 1"), "{error}");
        write(&db, only(INSERT, [id(1), "a".into(), (i64::MAX as u64).into()])).await.unwrap();
    }

    async fn not_a_number_is_stored_as_null(database: &TestDatabase) {
        let db = open(database).await;
        let values = [id(1), "n".into(), 0.into(), f64::NAN.into(), true.into(), vec![].into(), "".into()];
        write(&db, only(ALL, values)).await.unwrap();
        assert_eq!(db.one(READ, ["n".into()], |row| row.optional_float(3)).await.unwrap(), None);
    }

    async fn too_few_and_too_many_values_are_refused(database: &TestDatabase) {
        let db = open(database).await;
        for values in [vec![id(1), "a".into()], vec![id(1), "a".into(), 1.into(), 2.into()]] {
            let error = write(&db, only(INSERT, values)).await.unwrap_err();
            assert!(matches!(error, Error::Statement { sql: INSERT, .. }), "{error}");
        }
        assert!(super::names(&db).await.is_empty());
    }
}
