//! `backup` and `restore`: a whole brain in one file, while it is in use.

use crate::command::{Place, assert_tells};

fn names(place: &Place) -> Vec<String> {
    let list = place.json(&["fn", "list"]);
    let functions = list["functions"].as_array().unwrap_or_else(|| panic!("{list}"));
    functions.iter().map(|function| function["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_brain_that_is_served_is_backed_up_and_restored_elsewhere() {
    let place = Place::new();
    place.add("def one():\n    return 1\n");
    let mut server = place.start(&["serve"]);
    server.says("serving");
    place.run_with(&["secret", "set", "KEY"], b"hunter2hunter2");
    let run = place.run_id(&["one"]);
    let backed = place.json(&["backup", "copy.db", "--with-key"]);
    assert_eq!(backed["revision"], 1);
    place.add("def two():\n    return 2\n");
    let other = ["--home", "other"];
    let elsewhere = Place::without_home();
    for file in ["copy.db", "copy.db.key"] {
        elsewhere.file(file, std::fs::read(place.path(file)).unwrap());
    }
    let told = |arguments: &[&str]| elsewhere.run(&[arguments, &other].concat());
    assert!(told(&["restore", "copy.db"]).starts_with("exit: 0"));
    let functions = told(&["fn", "list"]);
    assert!(functions.contains("one") && !functions.contains("two"), "{functions}");
    assert!(told(&["runs", "show", &run]).contains("succeeded"));
    assert!(told(&["secret", "list"]).contains("KEY"));
    assert_eq!(
        std::fs::read(elsewhere.path("other/secrets.key")).unwrap(),
        std::fs::read(place.path("home/secrets.key")).unwrap()
    );
    let refused = place.run(&["restore", "copy.db", "--force"]);
    assert!(refused.contains("is already serving this brain"), "{refused}");
    assert_eq!(names(&place), ["one", "two"], "nothing was replaced");
}

#[test]
fn what_is_there_is_only_replaced_when_told_so_and_kept_aside() {
    let place = Place::new();
    place.add("def one():\n    return 1\n");
    let shown = place.run(&["backup", "copy.db"]);
    let shown = shown.replace(|c: char| c.is_ascii_digit(), "");
    assert_tells!(shown, @"
    exit: 
    --- stdout
    [folder]/copy.db
    --- stderr
    revision ,  bytes; checked
    the key that decrypts secrets is not included: keep `secrets.key` as well, or use --with-key
    ");
    let again = place.run(&["backup", "copy.db"]);
    assert!(again.starts_with("exit: 5") && again.contains("already exists"), "{again}");
    assert!(place.run(&["backup", "copy.db", "--force"]).starts_with("exit: 0"));
    place.add("def two():\n    return 2\n");
    let refused = place.run(&["restore", "copy.db"]);
    assert!(refused.starts_with("exit: 5") && refused.contains("--force"), "{refused}");
    let restored = place.json(&["restore", "copy.db", "--force"]);
    assert_eq!((&restored["revision"], &restored["key"]), (&1.into(), &"missing".into()));
    assert_eq!(names(&place), ["one"]);
    let aside = restored["aside"].as_str().unwrap().to_owned();
    assert!(place.data(&["fn", "list", "--database", &aside]).contains("two"), "it is kept");
}

#[test]
fn what_is_no_backup_is_refused_and_nothing_changes() {
    let place = Place::new();
    place.add("def one():\n    return 1\n");
    place.file("copy.db", "this is not a database, and never was one");
    let refused = place.run(&["restore", "copy.db", "--force"]);
    assert!(refused.starts_with("exit: 6") && refused.contains("is not a SQLite database"), "{refused}");
    assert!(place.run(&["restore", "nowhere.db", "--force"]).starts_with("exit: 6"));
    assert_eq!(names(&place), ["one"]);
    let postgres = place.run(&["backup", "x", "--database", "postgres://me:hunter2@db.example/b"]);
    assert!(postgres.contains("pg_dump") && !postgres.contains("hunter2"), "{postgres}");
}
