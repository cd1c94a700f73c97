//! Runs over a server, as they go on.

use super::Served;

const SLOW: &str = "def slow():\n    import time\n    print('begun', flush=True)\n    time.sleep(600)\n";
const ASK: &str = "def ask_me():\n    import selfmade\n    return selfmade.ask('Really?')\n";

#[test]
fn what_a_run_prints_is_shown_while_it_runs_and_ctrl_c_cancels_it() {
    let served = Served::with_role("builder");
    served.away.add(SLOW);
    let mut run = served.away.start(&["run", "slow"]);
    run.says("begun");
    run.signal("INT");
    assert_eq!(run.ended().0, Some(130));
    let runs = served.away.json(&["runs", "list"]);
    assert_eq!(runs["runs"][0]["state"], "cancelled", "{runs}");
}

#[test]
fn a_run_that_asks_is_answered_from_elsewhere() {
    let served = Served::with_role("builder");
    served.away.add(ASK);
    let asked = served.away.run(&["run", "ask_me"]);
    assert!(asked.starts_with("exit: 8") && asked.contains("waits for an answer: Really?"), "{asked}");
    let id = served.away.json(&["runs", "list"])["runs"][0]["run_id"].as_str().unwrap().to_owned();
    let answered = served.away.run(&["runs", "answer", &id, "yes"]);
    assert!(answered.contains("the server will continue the run"), "{answered}");
    assert_eq!(served.away.data(&["runs", "tail", &id]), "yes\n");
}

#[test]
fn a_queued_run_is_executed_by_the_server() {
    let served = Served::with_role("builder");
    served.away.add("def one():\n    return 1\n");
    let queued = served.away.run(&["run", "one", "--queue"]);
    assert!(queued.contains("queued; the server will run it"), "{queued}");
    let id = served.away.json(&["runs", "list"])["runs"][0]["run_id"].as_str().unwrap().to_owned();
    assert_eq!(served.away.data(&["runs", "tail", &id]), "1\n");
}

#[test]
fn a_run_goes_on_when_its_server_is_told_to_stop() {
    let Served { server, at_home, away, .. } = Served::with_role("builder");
    away.add("def nap():\n    import time\n    print('begun', flush=True)\n    time.sleep(0.5)\n    return 'slept'\n");
    let mut run = away.start(&["run", "nap"]);
    run.says("begun");
    server.signal("TERM");
    assert_eq!(run.line(), "slept", "answers that are under way are given");
    assert_eq!(run.ended().0, Some(0));
    assert_eq!(server.ended().0, Some(0));
    assert_eq!(at_home.json(&["runs", "list"])["runs"][0]["state"], "succeeded");
}
