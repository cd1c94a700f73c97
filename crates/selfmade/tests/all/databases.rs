//! Databases that cannot be used: each is named, left as it is, and told with exit code 6.

use std::net::TcpListener;

use crate::command::{Place, assert_shows};

/// Runs on a file that is not a brain of ours, and sees that it stays as it was.
fn refused(content: &[u8]) -> String {
    let place = Place::new();
    place.file("home/brain.db", content);
    let shown = place.run(&["fn", "list"]);
    assert_eq!(std::fs::read(place.path("home/brain.db")).unwrap(), content);
    shown
}

fn sqlite(statements: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch(statements).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn a_file_that_is_no_database() {
    assert_shows!(refused(b"Dear diary, today I learned nothing about databases, but a lot about files.\n"), @"
    exit: 6
    --- stdout
    --- stderr
    error: `[folder]/home/brain.db` is not a SQLite database and was left as it is; choose another path or restore it from a backup
    ");
}

#[test]
fn a_database_of_another_program() {
    assert_shows!(refused(&sqlite("create table songs (title text); insert into songs values ('x')")), @"
    exit: 6
    --- stdout
    --- stderr
    error: database `[folder]/home/brain.db` belongs to another program and was left as it is; choose another one for selfmade
    ");
}

#[test]
fn a_truncated_database() {
    let place = Place::new();
    place.add("def greet(): return 1");
    let mut bytes = std::fs::read(place.path("home/brain.db")).unwrap();
    bytes.truncate(bytes.len() / 2 + 100);
    assert_shows!(refused(&bytes), @"
    exit: 6
    --- stdout
    --- stderr
    error: database `[folder]/home/brain.db` is damaged (database disk image is malformed); stop selfmade and restore the file from a backup
    ");
}

#[test]
fn a_database_that_is_newer_than_the_program() {
    let place = Place::new();
    place.add("def greet(): return 1");
    let database = rusqlite::Connection::open(place.path("home/brain.db")).unwrap();
    database.execute_batch("pragma user_version = 99").unwrap();
    drop(database);
    assert_shows!(place.run(&["fn", "list"]), @"
    exit: 6
    --- stdout
    --- stderr
    error: database `[folder]/home/brain.db` has schema 99, but this selfmade supports only up to 23; use a newer selfmade
    ");
    assert_shows!(place.run(&["fn", "list", "--json"]), @r#"
    exit: 6
    --- stdout
    --- stderr
    {
      "error": {
        "code": "database",
        "message": "database `[folder]/home/brain.db` has schema 99, but this selfmade supports only up to 23; use a newer selfmade",
        "hint": null,
        "details": {}
      }
    }
    "#);
}

#[test]
fn a_folder_in_place_of_a_database() {
    let place = Place::new();
    place.file("home/brain.db/file", "");
    assert_shows!(place.run(&["fn", "list"]), @"
    exit: 6
    --- stdout
    --- stderr
    error: `[folder]/home/brain.db` is a folder; name a database file inside it
    ");
}

#[test]
fn a_server_that_does_not_answer() {
    // Bound and let go again: nobody listens on a port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("postgres://ada:hunter2@127.0.0.1:{port}/brain");
    let place = Place::new().option("--database", &url);
    let shown = place.run(&["fn", "list"]).replace(&port.to_string(), "[port]");
    assert!(!shown.contains("hunter2"), "{shown}");
    assert_shows!(shown, @"
    exit: 6
    --- stdout
    --- stderr
    error: cannot reach PostgreSQL at `127.0.0.1:[port]`, database `brain` (error connecting to server: Connection refused (os error 111)); nothing was read or written
    ");
}

#[test]
fn a_url_that_is_none() {
    let place = Place::new().option("--database", "postgres://:::");
    assert_shows!(place.run(&["fn", "list"]), @"
    exit: 6
    --- stdout
    --- stderr
    error: cannot read the PostgreSQL URL (invalid value for option `port`); write `postgres://user:password@host:port/database`
    ");
}
