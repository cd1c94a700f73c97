//! A command line beside a server: several processes work on one SQLite file.

use std::io::{BufRead, Write};
use std::process::{Command, Stdio};

use super::{INSERT, SCHEMA, insert, names, only, open, thing, write};
use crate::Location;
use crate::db::{Db, Durability};
use crate::testing::TestDatabase;

const PROCESSES: u128 = 3;
const WRITES: u128 = 100;

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_open_a_fresh_file_together_all_write_to_it() {
    let database = TestDatabase::sqlite();
    let children: Vec<_> = (1..=PROCESSES).map(|number| start(&database, number)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(names(&open(&database).await).await.len() as u128, PROCESSES * WRITES);
}

#[allow(clippy::disallowed_methods, reason = "the test is about processes, so it starts some: itself")]
fn start(database: &TestDatabase, number: u128) -> std::process::Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "db::tests::processes::one_of_the_processes", "--ignored"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    write!(child.stdin.take().unwrap(), "{number}\n{}\n", database.path().display()).unwrap();
    child
}

/// Reads its number and the path of the file, then opens it and writes.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "started by the test above, as a process of its own"]
async fn one_of_the_processes() {
    let mut lines = std::io::stdin().lock().lines().map(Result::unwrap);
    let number: u128 = lines.next().unwrap().parse().unwrap();
    let location = Location::Sqlite(lines.next().unwrap().into());
    let db = Db::open(&location, SCHEMA).await.unwrap();
    for n in number * WRITES..(number + 1) * WRITES {
        insert(&db, n, &n.to_string(), 1).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_handles_on_one_file_see_each_other() {
    let database = TestDatabase::sqlite();
    let (one, other) = (open(&database).await, open(&database).await);
    for n in 0..50 {
        insert(&one, n, &format!("one {n}"), 1).await;
        let batch = only(INSERT, thing(n + 100, &format!("other {n}"), 1));
        other.write(batch, Durability::Power).await.unwrap();
    }
    one.close().await;
    assert_eq!(names(&other).await.len(), 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_waits_for_the_lock_of_another_program() {
    let database = TestDatabase::sqlite();
    let db = open(&database).await;
    let other = rusqlite::Connection::open(database.path()).unwrap();
    other.execute_batch("begin immediate").unwrap();
    let writing = tokio::spawn(async move {
        write(&db, only(INSERT, thing(1, "a", 1))).await.unwrap();
        names(&db).await
    });
    tokio::task::yield_now().await;
    other.execute_batch("commit").unwrap();
    assert_eq!(writing.await.unwrap(), ["a"]);
}
