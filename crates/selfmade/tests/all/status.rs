//! `selfmade` alone.

use crate::command::{Place, assert_shows};

#[test]
fn a_new_brain_is_made_and_says_what_to_try() {
    let place = Place::without_home();
    assert_shows!(place.run(&[]), @r#"
    exit: 0
    --- stdout
    selfmade 0.1.0

      brain     [folder]/user/.local/share/selfmade  (the platform's data folder; created just now)
      database  [folder]/user/.local/share/selfmade/brain.db
      revision  0
      holds     nothing yet

    Try next
      add a function
        echo 'def greet(name: str): return f"Hello, {name}"' | selfmade fn add -
      load the functions of a pack
        selfmade pack load core
      see everything else
        selfmade --help
    --- stderr
    "#);
    assert!(place.path("user/.local/share/selfmade/brain.db").is_file());
}

#[test]
fn a_brain_that_holds_something_is_summed_up() {
    let place = Place::new();
    place.add("def greet(name: str) -> str: return name");
    place.add("def say_twice(text: str) -> str: return greet(text) * 2");
    assert_shows!(place.run(&[]), @"
    exit: 0
    --- stdout
    selfmade 0.1.0

      brain     [folder]/home  (given by --home)
      database  [folder]/home/brain.db
      revision  2
      holds     2 functions

    Last changes
      REVISION  CHANGESET  WHEN                  WHO           TITLE
      r2        2          [time--------------]  command_line  add say_twice
      r1        1          [time--------------]  command_line  add greet

    Try next
      load the functions of a pack
        selfmade --home [folder]/home pack load core
      look at a function
        selfmade --home [folder]/home fn show greet
      find functions
        selfmade --home [folder]/home search greet
      see how the brain changed
        selfmade --home [folder]/home log
      see everything else
        selfmade --home [folder]/home --help
    --- stderr
    ");
}

#[test]
fn the_summary_has_a_json_form() {
    let place = Place::new();
    place.add("def greet(name: str) -> str: return name");
    assert_shows!(place.run(&["--json"]), @r#"
    exit: 0
    --- stdout
    {
      "version": "0.1.0",
      "home": "[folder]/home",
      "home_why": "given by --home",
      "database": "[folder]/home/brain.db",
      "created": false,
      "revision": 1,
      "functions": 1,
      "graphs": 0,
      "triggers": 0,
      "schedules": 0,
      "packs": 0,
      "secrets": 0,
      "attention": {
        "schedules": [],
        "triggers": [],
        "questions": [],
        "changesets": [],
        "environments": [],
        "presets": []
      },
      "log": [
        {
          "changeset_id": "[id]",
          "number": 1,
          "state": "applied",
          "title": "add greet",
          "base_revision": 0,
          "applied_revision": 1,
          "actor": "command_line",
          "created_at": "[time]",
          "changes": 1,
          "who": "command_line"
        }
      ]
    }
    --- stderr
    "#);
}

#[test]
fn what_is_suggested_works() {
    let place = Place::new();
    let suggested = |text: &str| -> Vec<String> {
        let commands = text.split("Try next").nth(1).unwrap().lines();
        commands.filter_map(|line| line.strip_prefix("    ")).map(str::to_owned).collect()
    };
    for _ in 0..2 {
        let commands = suggested(&place.data(&[]));
        assert!(commands.len() >= 2, "{commands:?}");
        for command in commands {
            let done = std::process::Command::new("sh").arg("-c").arg(&command).output().unwrap();
            assert!(done.status.success(), "{command}: {done:?}");
        }
    }
}
