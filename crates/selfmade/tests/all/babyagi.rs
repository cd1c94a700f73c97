//! `selfmade import` of a BabyAGI brain.

use crate::command::{Place, assert_shows};

/// The tables of functionz, with one function in two versions, a trigger, a log and a key.
fn brain(place: &Place) {
    let key = fernet::Fernet::generate_key();
    let sealed = fernet::Fernet::new(&key).unwrap().encrypt(b"sk-secret-value");
    let database = rusqlite::Connection::open(place.path("funztionz.db")).unwrap();
    database.execute_batch(TABLES).unwrap();
    database.execute("insert into secret_keys values (1, 'api_key', ?1)", [sealed.as_bytes()]).unwrap();
    place.file("encryption_key.json", format!("{{\"key\": \"{key}\"}}"));
}

const TABLES: &str = include_str!("babyagi.sql");

#[test]
fn everything_comes_over_and_a_second_time_nothing() {
    let place = Place::new();
    brain(&place);
    assert_shows!(place.run(&["import", "funztionz.db", "--key", "encryption_key.json"]), @"
    exit: 0
    --- stdout
    3 functions
    4 versions
    1 trigger
    2 runs
    0 calls
    1 secret
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    1 thing was imported differently:
      version 1 of `broken` is kept, but cannot run: line 1, column 12: expected a parameter or the end of the parameter list; it was the active one, so the function is not live
    changeset 1 applied; the brain is at revision 1
    ");
    assert_shows!(place.run(&["fn", "versions", "greet"]), @"
    exit: 0
    --- stdout
    VERSION        WRITTEN               WHO           HASH
    2        live  [time--------------]  command_line  [hash------]
    1              [time--------------]  command_line  [hash------]
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["import", "funztionz.db", "--key", "encryption_key.json", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "applied": {
        "changeset": null,
        "revision": 1,
        "moves": [],
        "warnings": [],
        "widened": []
      },
      "functions": 3,
      "versions": 4,
      "triggers": 1,
      "runs": 2,
      "calls": 0,
      "secrets": 1,
      "notes": [
        "version 1 of `broken` is kept, but cannot run: line 1, column 12: expected a parameter or the end of the parameter list; it was the active one, so the function is not live"
      ]
    }
    --- stderr
    "#);
}

#[test]
fn without_its_key_or_with_a_wrong_one_nothing_comes_over() {
    let place = Place::new();
    brain(&place);
    place
        .file("wrong.json", format!("{{\"key\": \"{}\"}}", fernet::Fernet::generate_key()))
        .file("none.json", "[]");
    let before = place.brain();
    assert_shows!(place.run(&["import", "funztionz.db"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the brain has encrypted keys (1), but no key to decrypt them was given
    hint: name its key file with `--key encryption_key.json`, or skip its keys with `--no-keys`
    ");
    assert_shows!(place.run(&["import", "funztionz.db", "--key", "wrong.json"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the given key does not decrypt the brain's encrypted keys
    hint: give the `encryption_key.json` that belongs to this database; nothing was imported
    ");
    assert_shows!(place.run(&["import", "funztionz.db", "--key", "missing.json"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: cannot read `missing.json`
      caused by: No such file or directory (os error 2)
    hint: check the name and the current folder
    ");
    assert_eq!(place.brain(), before);
}

#[test]
fn its_keys_can_be_left_behind() {
    let place = Place::new();
    brain(&place);
    assert_shows!(place.run(&["import", "funztionz.db", "--no-keys"]), @"
    exit: 0
    --- stdout
    3 functions
    4 versions
    1 trigger
    2 runs
    0 calls
    0 secrets
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    1 thing was imported differently:
      version 1 of `broken` is kept, but cannot run: line 1, column 12: expected a parameter or the end of the parameter list; it was the active one, so the function is not live
    changeset 1 applied; the brain is at revision 1
    ");
    assert_shows!(place.run(&["secret", "list"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    there are none
    ");
}

#[test]
fn a_file_that_is_no_babyagi_brain_is_refused() {
    let place = Place::new();
    place.file("notes.txt", "Dear diary");
    rusqlite::Connection::open(place.path("songs.db"))
        .unwrap()
        .execute_batch("create table songs (title)")
        .unwrap();
    let before = place.brain();
    assert_shows!(place.run(&["import", "notes.txt"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `notes.txt` is not a SQLite database; name BabyAGI's `funztionz.db`
    ");
    assert_shows!(place.run(&["import", "songs.db"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `songs.db` is not a BabyAGI brain: it has no table `functions`; name its `funztionz.db`
    ");
    assert_eq!(place.brain(), before);
}
