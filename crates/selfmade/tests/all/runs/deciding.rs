//! `runs cancel` and `runs answer`.

use crate::command::{Place, assert_tells};

/// A run that asks whether to order tea.
fn asking() -> (Place, String) {
    let place = Place::new();
    place.add(
        "def order(what: str) -> str:\n    from selfmade import ask\n    answer = ask(f'really order {what}?', ['yes', 'no'])\n    \
         return f'{what}: {answer}'\n",
    );
    assert_tells!(place.run(&["run", "order", "tea"]), @"
    exit: 8
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    run [id] waits for an answer: really order tea?
    hint: answer with `selfmade runs answer [id] ANSWER`
    ");
    let page = place.json(&["runs", "list", "--state", "waiting"]);
    let id = page["runs"][0]["run_id"].as_str().unwrap().to_owned();
    (place, id)
}

#[test]
fn an_answer_lets_the_run_go_on() {
    let (place, id) = asking();
    assert_tells!(place.run(&["runs", "answer", &id]), @r#"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] asks: "really order tea?"
    hint: answer with `selfmade --home [folder]/home runs answer [id] ANSWER`
    "#);
    assert_tells!(place.run(&["runs", "answer", &id, "perhaps"]), @r#"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id]: `"perhaps"` is not one of the options: `"yes"` or `"no"`
    hint: answer with one of them, exactly as written
    "#);
    assert_tells!(place.run(&["runs", "answer", &id, "2"]), @r#"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    answered "no"; `selfmade serve` will continue the run
    "#);
    assert_tells!(place.run(&["runs", "answer", &id, "yes"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] was already answered, and is queued
    ");
    let mut server = place.start(&["serve"]);
    server.says("serving");
    assert_eq!(place.data(&["runs", "tail", &id]), "tea: no\n");
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
    assert_tells!(place.data(&["runs", "show", &id]), @r#"
    run [id]  succeeded (returned)
    order@1

      started    [time--------------] by command_line
      took       [took]
      used       [took] in the cell, [took] of processor time, [size] of memory, a cold start
      revision   1

    Input
      {"what":"tea"}

    Output
      "tea: no"

    Loaded
      order@1

    Steps
        1  ask("really order tea?", ["yes","no"])  [took]  → "no"  answered by command_line
    "#);
}

#[test]
fn a_run_that_waits_is_cancelled_at_once() {
    let (place, id) = asking();
    assert_tells!(place.run(&["runs", "cancel", &id]), @"
    exit: 0
    --- stdout
    [id----]  order@1  cancelled  [took]  command_line
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_tells!(place.run(&["runs", "cancel", &id]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    run [id] is already cancelled
    ");
    assert_tells!(place.run(&["runs", "answer", &id, "yes"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] was cancelled and is not waiting for an answer
    ");
    let shown = place.data(&["runs", "show", &id]);
    assert!(shown.contains("cancelled  ") && shown.contains("by command_line"), "{shown}");
}

#[test]
fn what_is_queued_is_cancelled_before_it_runs() {
    let place = Place::new();
    place.add("def n():\n    return 1\n");
    let id = place.data(&["run", "n", "--queue"]).trim().to_owned();
    let cancelled = place.json(&["runs", "cancel", &id]);
    assert_eq!(cancelled["runs"][0]["state"], "cancelled");
    assert_eq!(cancelled["runs"][0]["started_at"], serde_json::Value::Null);
}

#[test]
fn a_run_of_another_process_is_cancelled_by_it() {
    let place = Place::new();
    place.add("def endless():\n    import time\n    while True:\n        time.sleep(0.1)\n");
    let mut server = place.start(&["serve"]);
    server.says("serving");
    let id = place.data(&["run", "endless", "--queue"]).trim().to_owned();
    while place.json(&["runs", "show", &id])["state"] != "running" {}
    // The server, which is asked, may be done with it before it tells.
    let cancelled = place.data(&["runs", "cancel", &id]);
    assert!(cancelled.contains("endless@1"), "{cancelled}");
    let shown = place.run(&["runs", "tail", &id]);
    assert!(shown.starts_with("exit: 130") && shown.contains("was cancelled"), "{shown}");
}
