//! Files that are not ours, or no longer whole, are refused and left as they are.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

use super::{INSERT, SCHEMA, id, insert, names, only, open, thing, write};
use crate::Error;
use crate::db::{Batch, Db, Value};
use crate::testing::TestDatabase;

/// Opening must fail, leave the file as it is and name it.
async fn refused(database: &TestDatabase) -> Error {
    let before = fs::read(database.path()).ok();
    let error = Db::open(database.location(), SCHEMA).await.err().unwrap();
    assert_eq!(fs::read(database.path()).ok(), before);
    assert!(error.to_string().contains(&database.path().display().to_string()), "{error}");
    error
}

/// A closed database of a few hundred pages.
async fn filled() -> TestDatabase {
    let database = TestDatabase::sqlite();
    let db = open(&database).await;
    let mut batch = Batch::new();
    (0..500).for_each(|n| batch.push(INSERT, thing(n, &format!("{n} {}", "x".repeat(2000)), 1)));
    write(&db, batch).await.unwrap();
    db.close().await;
    database
}

#[tokio::test]
async fn closing_folds_the_log_into_the_file() {
    let database = filled().await;
    assert_eq!(fs::read_dir(database.path().parent().unwrap()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_file_of_something_else_is_not_a_database() {
    let database = TestDatabase::sqlite();
    for content in [&b"hello"[..], &[0x5a; 100_000][..]] {
        fs::write(database.path(), content).unwrap();
        assert!(matches!(refused(&database).await, Error::NotADatabase { .. }));
    }
}

#[tokio::test]
async fn an_empty_file_is_a_fresh_database() {
    let database = TestDatabase::sqlite();
    fs::write(database.path(), "").unwrap();
    insert(&open(&database).await, 1, "a", 1).await;
}

#[tokio::test]
async fn the_database_of_another_program_is_foreign() {
    for sql in [
        "create table theirs (n integer)",
        "pragma application_id = 7",
        "pragma user_version = 3",
        "pragma application_id = 7; pragma user_version = -1; create table theirs (n integer)",
        "pragma journal_mode = wal; create table theirs (n integer)",
    ] {
        let database = TestDatabase::sqlite();
        Connection::open(database.path()).unwrap().execute_batch(sql).unwrap();
        let error = refused(&database).await;
        assert!(matches!(error, Error::Foreign { .. }), "{sql}: {error}");
    }
}

#[tokio::test]
async fn the_log_of_another_program_is_not_folded_into_its_file() {
    let database = TestDatabase::sqlite();
    let theirs = Connection::open(database.path()).unwrap();
    theirs.execute_batch("pragma journal_mode = wal; create table theirs (n integer)").unwrap();
    // A program that was killed leaves its log behind; a copy of both files is what that looks like.
    let (copy, log) = (database.path().with_extension("copy"), database.path().with_extension("copy-wal"));
    fs::copy(database.path(), &copy).unwrap();
    fs::copy(database.path().with_extension("db-wal"), &log).unwrap();
    let before = (fs::read(&copy).unwrap(), fs::read(&log).unwrap());
    let location = crate::Location::Sqlite(copy.clone());
    assert!(matches!(Db::open(&location, SCHEMA).await, Err(Error::Foreign { .. })));
    assert!((fs::read(&copy).unwrap(), fs::read(&log).unwrap()) == before);
}

#[tokio::test]
async fn a_file_that_was_cut_short_is_damaged() {
    let whole = fs::read(filled().await.path()).unwrap();
    for length in [whole.len() - 1, whole.len() / 2, 4096, 1000] {
        let database = TestDatabase::sqlite();
        fs::write(database.path(), &whole[..length]).unwrap();
        let error = refused(&database).await;
        assert!(matches!(error, Error::Damaged { .. }), "{length}: {error}");
    }
}

#[tokio::test]
async fn damage_that_is_met_later_is_named_then() {
    let database = filled().await;
    let mut bytes = fs::read(database.path()).unwrap();
    bytes[8 * 4096..].fill(0xff);
    fs::write(database.path(), bytes).unwrap();
    let db = open(&database).await;
    let error = db.query("select note from things", [], |row| row.optional_text(0)).await.unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
    let error = write(&db, only("update things set count = 2", [])).await.unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn an_empty_file_beside_a_log_is_not_taken_for_a_fresh_one() {
    let database = TestDatabase::sqlite();
    fs::write(database.path(), "").unwrap();
    fs::write(database.path().with_extension("db-wal"), "the newest writes").unwrap();
    assert!(matches!(refused(&database).await, Error::Damaged { .. }));
}

#[tokio::test]
async fn a_folder_is_not_a_database() {
    let database = TestDatabase::sqlite();
    fs::create_dir(database.path()).unwrap();
    assert!(matches!(refused(&database).await, Error::Folder { .. }));
}

#[tokio::test]
async fn a_file_that_cannot_be_opened_says_why() {
    let database = TestDatabase::sqlite();
    let missing = crate::Location::Sqlite(Path::new("/nowhere/at all/selfmade.db").to_owned());
    assert!(matches!(Db::open(&missing, SCHEMA).await, Err(Error::CannotOpen { .. })));
    #[cfg(unix)]
    std::os::unix::fs::symlink(database.path(), database.path()).unwrap();
    assert!(matches!(refused(&database).await, Error::CannotOpen { .. }));
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_may_read_the_file_and_its_log() {
    use std::os::unix::fs::PermissionsExt;
    let database = TestDatabase::sqlite();
    let db = open(&database).await;
    insert(&db, 1, "a", 1).await;
    for file in ["db", "db-wal", "db-shm"] {
        let mode = fs::metadata(database.path().with_extension(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

#[tokio::test]
async fn a_full_disk_undoes_the_batch_and_is_named() {
    let database = TestDatabase::sqlite();
    let db = open(&database).await;
    insert(&db, 1, "a", 1).await;
    write(&db, only("pragma max_page_count = 1", [])).await.unwrap();
    let sql = "insert into things (id, name, data) values ($1, $2, $3)";
    let error = write(&db, only(sql, [id(2), "b".into(), Value::Blob(vec![1; 1 << 20])])).await.unwrap_err();
    assert!(matches!(error, Error::DiskFull { .. }), "{error}");
    write(&db, only("pragma max_page_count = 100000", [])).await.unwrap();
    insert(&db, 3, "c", 3).await;
    assert_eq!(names(&db).await, ["a", "c"]);
}

#[tokio::test]
async fn a_read_only_database_is_named() {
    let database = TestDatabase::sqlite();
    let db = open(&database).await;
    let error = write(&db, {
        let mut batch = only("pragma query_only = on", []);
        batch.push(INSERT, thing(1, "a", 1));
        batch
    });
    let error = error.await.unwrap_err();
    assert!(matches!(error, Error::ReadOnly { .. }), "{error}");
    assert!(names(&db).await.is_empty());
}
