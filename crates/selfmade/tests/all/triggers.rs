//! `selfmade trigger …`, and the chain that `docs/triggers.md` shows, with real cells.

use crate::command::{Place, assert_shows, assert_tells};
use crate::readme::{commands_of, copy_examples};

fn pair() -> Place {
    let place = Place::new();
    place.add("def first(n: int = 1) -> int:\n    return n\n");
    place.add("def second(x):\n    return x\n");
    place
}

#[test]
fn a_trigger_that_waits_for_a_webhook_shows_where_it_is_and_who_may_send() {
    let mut place = pair();
    place.data(&[
        "trigger",
        "add",
        "push",
        "second",
        "--on",
        "webhook.received",
        "--source",
        "git",
        "--secret",
        "HOOK",
    ]);
    let shown = place.data(&["trigger", "show", "push"]);
    assert!(shown.contains("POST /api/v1/hooks/git\n"), "nobody knows which port will be free: {shown}");
    place.set("SELFMADE_LISTEN", "127.0.0.1:7340");
    let shown = place.data(&["trigger", "show", "push"]);
    assert!(shown.contains("POST http://127.0.0.1:7340/api/v1/hooks/git\n"), "{shown}");
    let webhook = &place.json(&["trigger", "show", "push"])["webhook"];
    assert_eq!(webhook, "http://127.0.0.1:7340/api/v1/hooks/git");
    assert!(shown.contains("anyone who signs with the secret `HOOK`"), "{shown}");
    assert_eq!(place.json(&["trigger", "show", "push"])["content"]["senders"]["secret"], "HOOK");
    let both = place.run(&["trigger", "add", "p", "second", "--secret", "HOOK", "--anybody"]);
    assert!(both.starts_with("exit: 2\n"), "{both}");
    let no_webhook = place.run(&["trigger", "add", "p", "second", "--anybody"]);
    assert!(
        no_webhook.contains("it says who may send to its webhook, but does not listen to one"),
        "{no_webhook}"
    );
}

#[test]
fn a_trigger_is_added_fires_and_is_shown() {
    let place = pair();
    assert_shows!(place.run(&["trigger", "add", "t", "second", "--source", "first", "--condition", "event.output > 1"]), @"
    exit: 0
    --- stdout
    added trigger t@1
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 3 applied; the brain is at revision 3
    ");
    assert_tells!(place.run(&["run", "first", "5"]), @"
    exit: 0
    --- stdout
    5
    --- stderr
    brain: [folder]/home (given by --home)
    it triggered 1 run
    ");
    assert_eq!(place.data(&["run", "first", "1"]), "1\n");
    assert_tells!(place.run(&["trigger", "list"]), @"
    exit: 0
    --- stdout
    NAME  ON            SOURCE  RUNS    STATE    FIRED  STOPPED  LAST
    t     run.finished  first   second  enabled  1      0        [time--------------]
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_tells!(place.run(&["trigger", "show", "t"]), @"
    exit: 0
    --- stdout
    t@1  enabled

      on          run.finished
      source      first
      if          event.output > 1
      runs        second
      input       the event's payload, as the first parameter
      fired       1 time, last [time--------------]
      stopped     0 times
      under       command_line (admin)
      written     [time--------------] by command_line

    EVENT  WHEN                  KIND          SOURCE  RUN       STOPPED
    7      [time--------------]  run.finished  first   [id----]
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_tells!(place.run(&["trigger", "firings", "t"]), @"
    exit: 0
    --- stdout
    EVENT  WHEN                  KIND          SOURCE  RUN       STOPPED
    7      [time--------------]  run.finished  first   [id----]
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_eq!(place.json(&["runs", "list", "second"])["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn what_stopped_a_trigger_is_reported() {
    let place = pair();
    place.run(&["trigger", "add", "t", "second", "--source", "first", "--rate", "1/1h"]);
    place.run(&["run", "first"]);
    place.run(&["run", "first"]);
    let firings = place.json(&["trigger", "firings", "t"]);
    let stopped = firings["firings"][0]["stopped"].as_str().unwrap();
    assert!(stopped.starts_with("it has fired 1 times in 3600 seconds"), "{stopped}");
    let next = place.json(&["trigger", "firings", "t", "--limit", "1"]);
    assert_eq!(next["next"], firings["firings"][0]["seq"]);
    let list = place.json(&["trigger", "list"]);
    assert_eq!((&list["triggers"][0]["fired"], &list["triggers"][0]["stopped"]), (&1.into(), &1.into()));
}

#[test]
fn a_test_tells_what_would_have_been_without_running_anything() {
    let place = pair();
    place.run(&["run", "first", "5"]);
    place.run(&["run", "first", "1"]);
    place.run(&[
        "trigger",
        "add",
        "t",
        "second",
        "--source",
        "first",
        "--condition",
        "event.output > 1",
        "--arg",
        "x={{ event.output * 2 }}",
        "--disabled",
    ]);
    let tested = place.json(&["trigger", "test", "t"]);
    assert_eq!((&tested["fires"], tested["verdicts"].as_array().unwrap().len()), (&1.into(), 2));
    assert_tells!(place.run(&["trigger", "test", "t", "--on", "run.finished", "--source", "first", "--data", r#"{"output": 4}"#]), @r#"
    exit: 0
    --- stdout
    it fires
    `second` would get {"x":8}
    --- stderr
    brain: [folder]/home (given by --home)
    "#);
    assert_tells!(place.run(&["trigger", "test", "t", "--on", "run.failed", "--source", "first"]), @"
    exit: 0
    --- stdout
    it does not fire: the event is `run.failed`, but it listens for `run.finished`
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    let seq = tested["verdicts"][0]["seq"].to_string();
    assert_eq!(place.json(&["trigger", "test", "t", "--event", &seq])["input"], serde_json::json!({"x": 10}));
    assert_shows!(place.run(&["trigger", "test", "t", "--event", "9999"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no event named `9999`
    ");
    assert!(place.json(&["runs", "list", "second"])["runs"].as_array().unwrap().is_empty());
}

#[test]
fn a_trigger_is_switched_and_removed() {
    let place = pair();
    place.run(&["trigger", "add", "t", "second", "--source", "first"]);
    assert_shows!(place.run(&["trigger", "disable", "t"]), @"
    exit: 0
    --- stdout
    updated trigger t@2 (was @1)
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 4 applied; the brain is at revision 4
    ");
    place.run(&["run", "first"]);
    assert!(place.json(&["runs", "list", "second"])["runs"].as_array().unwrap().is_empty());
    assert_shows!(place.run(&["trigger", "enable", "t"]), @"
    exit: 0
    --- stdout
    updated trigger t@1 (was @2)
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 5 applied; the brain is at revision 5
    ");
    assert_shows!(place.run(&["trigger", "remove", "t"]), @"
    exit: 0
    --- stdout
    deleted trigger t
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 6 applied; the brain is at revision 6
    ");
    assert_shows!(place.run(&["trigger", "show", "t"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no trigger `t`
    hint: `selfmade trigger list` lists them
    ");
    assert_shows!(place.run(&["trigger", "list"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    there are none
    ");
}

#[test]
fn a_bad_trigger_is_refused_and_nothing_is_changed() {
    let place = pair();
    let before = place.brain();
    let add = |more: &[&str]| place.run(&[&["trigger", "add", "t"], more].concat());
    assert_shows!(add(&["second", "--on", "run.finish"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `run.finish` is not an event kind; did you mean `run.finished`?
    hint: `selfmade trigger add --help` lists the kinds; a pattern such as `run.*` fits several
    ");
    assert_shows!(add(&["secnd", "--source", "first"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      trigger `t`: it starts `secnd`, which is not stored
        hint: did you mean `second`?
    hint: nothing was changed
    ");
    assert_shows!(add(&["second", "--condition", "event.output >"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      trigger `t`: its condition: `event.output >` cannot be parsed: unexpected end of input, expected expression
        hint: write an expression over the event, such as `event.output.score > 0.8`
    hint: nothing was changed
    ");
    assert_shows!(add(&["second", "--arg", "y={{ event.output }}"]), @r#"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      trigger `t`: its input `y` is not a parameter of `second`
        hint: `selfmade fn show second` shows what it takes
      trigger `t`: its input lacks `x`, which `second` requires
        hint: add for example `"x": "{{ event.output }}"`
    hint: nothing was changed
    "#);
    assert_shows!(add(&["second", "--rate", "often"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: invalid value 'often' for '--rate <RUNS/TIME>': expected a number of runs and a time, such as `10/1m`

    For more information, try '--help'.
    ");
    assert_eq!(place.brain(), before);
}

#[test]
fn the_chain_of_the_guide_works_as_it_says() {
    let place = Place::new();
    copy_examples(&place);
    let mut server = None;
    for command in commands_of("docs/triggers.md") {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        if words == ["serve"] {
            let mut running = place.start(&words);
            running.says("serving");
            server = Some(running);
            continue;
        }
        let shown = place.run(&words);
        assert!(shown.starts_with("exit: 0\n"), "selfmade {}\n{shown}", command.join(" "));
        if words.contains(&"--description") {
            await_run(&place, "deploy");
        }
    }
    assert!(server.is_some(), "the guide starts a server");
    let deployed = place.json(&["runs", "list", "deploy"]);
    let id = deployed["runs"][0]["run_id"].as_str().unwrap();
    assert_eq!(deployed["runs"][0]["who"], "trigger on_tried");
    assert_eq!(place.json(&["runs", "show", id])["output"], "greet is deployed: Hello, Ada.");
    let first = place.json(&["trigger", "firings", "on_update"]);
    assert_eq!(first["firings"].as_array().unwrap().len(), 1, "the addition before was no update");
}

/// Waits until a server has executed a run of a function.
fn await_run(place: &Place, function: &str) {
    while place.json(&["runs", "list", function, "--state", "succeeded"])["runs"]
        .as_array()
        .unwrap()
        .is_empty()
    {}
}
