//! `runs list`.

use crate::command::{Place, assert_tells};

/// Three runs of two functions, the first of which failed.
fn history() -> Place {
    let place = Place::new();
    place.add(
        "def halve(n: int):\n    if n % 2:\n        raise ValueError(f'{n} is Odd')\n    return n // 2\n",
    );
    place.add("def twice(n: int):\n    return n * 2\n");
    for (name, n) in [("halve", "3"), ("halve", "4"), ("twice", "4")] {
        place.run_id(&[name, n]);
    }
    place
}

fn names(place: &Place, filter: &[&str]) -> Vec<String> {
    let page = place.json(&[&["runs", "list"], filter].concat());
    let name = |run: &serde_json::Value| {
        format!("{} {}", run["name"].as_str().unwrap(), run["state"].as_str().unwrap())
    };
    page["runs"].as_array().unwrap().iter().map(name).collect()
}

#[test]
fn runs_are_listed_newest_first() {
    let place = history();
    assert_tells!(place.run(&["runs", "list"]), @"
    exit: 0
    --- stdout
    ID        FUNCTION  STATE      WHEN                  TOOK    WHO
    [id----]  twice@1   succeeded  [time--------------]  [took]  command_line
    [id----]  halve@1   succeeded  [time--------------]  [took]  command_line
    [id----]  halve@1   failed     [time--------------]  [took]  command_line
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_tells!(place.run(&["runs", "list", "--limit", "1", "--json"]), @r#"
    exit: 0
    --- stdout
    {
      "runs": [
        {
          "run_id": "[id]",
          "kind": "function",
          "name": "twice",
          "version": 1,
          "state": "succeeded",
          "ending": "returned",
          "error": null,
          "actor": "command_line",
          "who": "command_line",
          "parent": null,
          "attempt": 1,
          "created_at": "[time]",
          "started_at": "[time]",
          "finished_at": "[time]",
          "duration_us": [number]
        }
      ],
      "next": "[id]"
    }
    --- stderr
    "#);
    assert_tells!(Place::new().run(&["runs", "list"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home; created just now)
    there are none
    ");
}

#[test]
fn lists_are_filtered_by_whatever_is_asked_for() {
    let place = history();
    let all = ["twice succeeded", "halve succeeded", "halve failed"];
    assert_eq!(names(&place, &[]), all);
    assert_eq!(names(&place, &["halve"]), all[1..]);
    assert_eq!(names(&place, &["tw*"]), all[..1]);
    assert_eq!(names(&place, &["--state", "failed"]), all[2..]);
    assert_eq!(names(&place, &["--state", "failed", "--state", "queued"]), all[2..]);
    assert_eq!(names(&place, &["--error", "is odd"]), all[2..]);
    assert_eq!(names(&place, &["--actor", "command_line"]), all);
    assert_eq!(names(&place, &["--since", "1h", "--until", "2100-01-01"]), all);
    assert_eq!(names(&place, &["--until", "1h"]), [""; 0]);
    assert_eq!(names(&place, &["halve", "--state", "succeeded"]), all[1..2]);
}

#[test]
fn pages_follow_each_other() {
    let place = history();
    let shown = place.run(&["runs", "list", "--limit", "2"]);
    let next = shown.split("--before ").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
    assert_eq!(names(&place, &["--limit", "2", "--before", next]), ["halve failed"]);
}

#[test]
fn the_runs_that_a_run_started_are_found_by_it() {
    let place = Place::new();
    place.file("outer.py", "import selfmade\n\n@selfmade.function(brain=\"read\")\ndef outer():\n    from selfmade import run\n    return run('inner', n=4)\n");
    place.add("def inner(n: int):\n    return n + 1\n");
    place.data(&["fn", "add", "outer.py"]);
    let id = place.run_id(&["outer"]);
    assert_eq!(names(&place, &["--parent", &id]), ["inner succeeded"]);
    let end = &id[id.len() - 8..];
    assert_eq!(names(&place, &["--actor", &format!("run:{end}")]), ["inner succeeded"]);
}

#[test]
fn what_means_nothing_is_refused_and_explained() {
    let place = history();
    assert_tells!(place.run(&["runs", "list", "--since", "soon"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `soon` is not a time
    hint: write a time ago such as `2h` or `7d`, a date such as `2026-01-31`, or a date and time such as `[time--------------]`
    ");
    assert_tells!(place.run(&["runs", "list", "--actor", "robot"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `robot` is not an actor that can start runs
    hint: write `command_line`, `token:NAME`, `session:NAME`, `trigger:NAME`, `schedule:NAME` or `run:ID`
    ");
    assert_tells!(place.run(&["runs", "list", "--actor", "trigger:none"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no trigger `none`
    hint: `selfmade trigger list` lists them
    ");
    assert_tells!(place.run(&["runs", "list", "--state", "done"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: invalid value 'done' for '--state <STATE>'
      [possible values: queued, running, waiting, succeeded, failed, cancelled]

    For more information, try '--help'.
    ");
}
