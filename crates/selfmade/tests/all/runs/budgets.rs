//! Budgets: stated with `run`, shown by `runs show`, raised by an answer and by `runs extend`.

use serde_json::json;

use crate::command::{Place, assert_tells};

#[test]
fn a_run_asks_for_a_larger_budget_and_gets_it() {
    let place = Place::new();
    place.add(
        "import selfmade\n\n@selfmade.function(budget={\"turns\": 0, \"money\": 0.5})\ndef poor():\n    \
         from selfmade import ask_budget\n    return ask_budget('Nothing is left.', turns=2)\n",
    );
    assert_tells!(place.run(&["run", "poor", "--budget", "0.25", "--max-functions", "3"]), @"
    exit: 8
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    run [id] waits for an answer: Nothing is left. (it asks for 2 turns more)
    hint: answer with `selfmade runs answer [id] ANSWER`
    ");
    let page = place.json(&["runs", "list", "--state", "waiting"]);
    let id = page["runs"][0]["run_id"].as_str().unwrap().to_owned();
    let limits = |place: &Place| place.json(&["runs", "show", &id])["spending"]["limits"].clone();
    assert_eq!(limits(&place), json!({ "money": 0.25, "turns": 0, "functions": 3 }));
    assert_tells!(place.run(&["runs", "extend", &id, "--tokens", "5"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] has no limit of what is to be added (5 tokens)
    hint: `selfmade runs show [id]` shows its limits; what has none need not be raised
    ");
    assert_tells!(place.run(&["runs", "extend", &id, "--money", "1", "--turns", "4"]), @"
    exit: 0
    --- stdout
    limit     $1.25, 4 turns, 3 new functions
    spent     nothing
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    place.run(&["runs", "answer", &id, r#"{"turns": 1}"#]);
    let mut server = place.start(&["serve"]);
    server.says("serving");
    assert_eq!(place.data(&["runs", "tail", &id]), "{\n  \"turns\": 1\n}\n");
    assert_eq!(limits(&place), json!({ "money": 1.25, "turns": 5, "functions": 3 }));
}
