//! `selfmade schedule …`.

use crate::command::{Place, assert_shows, assert_tells};
use crate::readme::{commands_of, copy_examples};

fn greeter() -> Place {
    let place = Place::new();
    place.add("def greet(name: str) -> str:\n    return f'Hello, {name}.'\n");
    place
}

#[test]
fn a_schedule_is_answered_with_its_next_times() {
    let place = greeter();
    let added = place.run(&[
        "schedule",
        "add",
        "party",
        "greet",
        "2130-12-24T18:00",
        "--zone",
        "Europe/Vienna",
        "--arg",
        "name=7",
    ]);
    assert_shows!(added, @"
    exit: 0
    --- stdout
    added schedule party@1
      next Sun 2130-12-24 18:00:00 CET
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 2 applied; the brain is at revision 2
    ");
    assert_shows!(place.run(&["schedule", "list"]), @"
    exit: 0
    --- stdout
    NAME   TIMES                    ZONE           RUNS   NEXT                         STARTED  SKIPPED  LAST
    party  at [time--------------]  Europe/Vienna  greet  Sun 2130-12-24 18:00:00 CET  0        0        never
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["schedule", "show", "party"]), @r#"
    exit: 0
    --- stdout
    party@1  ticks

      times       at [time--------------]
      zone        Europe/Vienna
      runs        greet
      input       {"name":"7"}
      missed      once
      overlap     skip
      next        Sun 2130-12-24 18:00:00 CET
      started     0 runs
      skipped     0 ticks
      under       command_line (admin)
      written     [time--------------] by command_line
    --- stderr
    brain: [folder]/home (given by --home)
    "#);
    let nightly = place.json(&["schedule", "add", "nightly", "greet", "0 3 * * *", "--arg", "name=Ada"]);
    assert_eq!(nightly["next_times"].as_array().unwrap().len(), 5);
    let shown = place.json(&["schedule", "show", "nightly", "--next", "7"]);
    assert_eq!(shown["next_times"].as_array().unwrap().len(), 7);
    assert_eq!(shown["next"], shown["next_times"][0]);
}

#[test]
fn a_schedule_is_paused_resumed_run_and_removed() {
    let place = greeter();
    place.run(&["schedule", "add", "often", "greet", "every 5m", "--arg", "name=Ada", "--overlap", "queue"]);
    assert_shows!(place.run(&["schedule", "pause", "often"]), @"
    exit: 0
    --- stdout
    updated schedule often@2 (was @1)
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 3 applied; the brain is at revision 3
    paused: it has no next time until it is resumed
    ");
    let paused = place.json(&["schedule", "show", "often"]);
    assert_eq!(paused["next"], serde_json::Value::Null);
    assert_eq!(paused["next_times"], serde_json::json!([]));
    assert_tells!(place.run(&["schedule", "run", "often"]), @"
    exit: 0
    --- stdout
    Hello, Ada.
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_tells!(place.run(&["schedule", "run", "often", "--queue"]), @"
    exit: 0
    --- stdout
    [id]
    --- stderr
    brain: [folder]/home (given by --home)
    queued; `selfmade serve` will run it
    ");
    let resumed = place.run(&["schedule", "resume", "often"]);
    let (_, next) = resumed.split_once("next at ").unwrap();
    assert_shows!(resumed.replace(next, "[next]\n"), @"
    exit: 0
    --- stdout
    updated schedule often@1 (was @2)
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 4 applied; the brain is at revision 4
    resumed, next at [next]
    ");
    assert_shows!(place.run(&["schedule", "rm", "often"]), @"
    exit: 0
    --- stdout
    deleted schedule often
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 5 applied; the brain is at revision 5
    ");
    assert_shows!(place.run(&["schedule", "pause", "often"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no schedule `often`
    hint: `selfmade schedule list` lists them
    ");
}

#[test]
fn a_bad_schedule_is_refused_and_nothing_is_changed() {
    let place = greeter();
    let before = place.brain();
    let add = |more: &[&str]| place.run(&[&["schedule", "add", "s"], more].concat());
    assert_shows!(add(&["greet", "0 25 * * *", "--arg", "name=Ada"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: hour `25` is out of range; allowed is 0 to 23, for example `9-17`
    hint: times are written as cron (`30 9 * * MON-FRI`), `@daily`, `every 5m` or `2026-12-24T18:00`
    ");
    assert_shows!(add(&["greet", "@daily", "--arg", "name=Ada", "--zone", "Europe/Berln"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `Europe/Berln` is not a time zone; did you mean `Europe/Berlin`?
    hint: time zones are named as in the IANA database, such as `Europe/Berlin` or `UTC`
    ");
    assert_shows!(add(&["greet", "2001-01-01T00:00", "--arg", "name=Ada"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: schedule `s` would never tick, because its time has passed
    hint: choose a time in the future
    ");
    assert_shows!(add(&["greet", "@daily"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      schedule `s`: its input for `greet`: missing 1 required positional argument: `name`
        hint: `selfmade fn show greet` shows what it takes
    hint: nothing was changed
    ");
    assert_shows!(add(&["gret", "@daily"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      schedule `s`: it starts `gret`, which is not stored
        hint: did you mean `greet`?
    hint: nothing was changed
    ");
    assert_eq!(place.brain(), before);
}

#[test]
fn a_server_ticks() {
    let place = greeter();
    place.run(&["schedule", "add", "always", "greet", "every 1s", "--arg", "name=Ada"]);
    let mut server = place.start(&["serve"]);
    server.says("serving");
    while place.json(&["schedule", "show", "always"])["started"].as_u64() < Some(2) {}
    let ticks = place.json(&["schedule", "show", "always"])["ticks"].clone();
    assert_ne!(ticks[0]["at"], ticks[1]["at"]);
}

#[test]
fn every_command_of_the_guide_works_in_its_order() {
    let place = Place::new();
    copy_examples(&place);
    for command in commands_of("docs/schedules.md") {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let shown = place.run(&words);
        assert!(shown.starts_with("exit: 0\n"), "selfmade {}\n{shown}", command.join(" "));
    }
}
