//! Runs of graphs, and what their records show.

use serde_json::{Value, json};

use super::place;
use crate::command::{Place, assert_shows, assert_tells};

#[test]
fn a_graph_is_run_like_a_function_and_its_record_shows_its_nodes() {
    let place = place();
    assert_tells!(place.run(&["run", "twice", "--arg", "n=21"]), @r#"
    exit: 0
    --- stdout
    {
      "out": 42
    }
    --- stderr
    brain: [folder]/home (given by --home)
    "#);
    let id = place.run_id(&["twice", "--arg", "n=3"]);
    assert_tells!(place.run(&["runs", "show", &id]), @r#"
    exit: 0
    --- stdout
    run [id]  succeeded (returned)
    twice@1

      started    [time--------------] by command_line
      took       [took]
      revision   2

    Input
      {"n":3}

    Output
      {"out":6}

    Loaded
      twice@1
      double@1

    Nodes
      #  NODE   NTH  STATE      STARTED               TOOK    RUN       RESULT
      1  in     1    succeeded  [time--------------]  [took]  output=3
      2  twice  1    succeeded  [time--------------]  [took]  [id----]  output=6
      3  out    1    succeeded  [time--------------]  [took]  output=6

    Led to
      [id----]  double@1  succeeded  [took]  run [id----]
    --- stderr
    brain: [folder]/home (given by --home)
    "#);
    assert_tells!(place.run(&["runs", "nodes", &id, "--node", "twice"]), @"
    exit: 0
    --- stdout
    #  NODE   NTH  STATE      STARTED               TOOK    RUN       RESULT
    2  twice  1    succeeded  [time--------------]  [took]  [id----]  output=6
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_tells!(place.run(&["runs", "nodes", &id, "--limit", "1"]), @"
    exit: 0
    --- stdout
    #  NODE  NTH  STATE      STARTED               TOOK    RUN  RESULT
    1  in    1    succeeded  [time--------------]  [took]  output=3
    --- stderr
    brain: [folder]/home (given by --home)
    there are more; `--limit 10` shows them
    ");
    assert_tells!(place.run(&["graph", "run", "twice"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: graph `twice`: missing 1 required keyword-only argument: `n`
    hint: `selfmade graph show twice` shows what it takes
    ");
    assert_tells!(place.run(&["runs", "rerun", &id]), @r#"
    exit: 0
    --- stdout
    {
      "out": 6
    }
    --- stderr
    brain: [folder]/home (given by --home)
    "#);
    assert_shows!(place.run(&["runs", "nodes", &id, "--node", "thrice"]).replace(&id, "[id]"), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] has no node `thrice`
    hint: `selfmade graph show twice` shows its nodes
    ");
    assert_shows!(place.run(&["runs", "replay", &id]).replace(&id[id.len() - 8..], "[id]"), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    run [id] replayed identically: succeeded
    ");
}

#[test]
fn the_record_shows_fifty_nodes_and_how_to_see_the_rest() {
    let place = Place::new();
    let graph = json!({
        "nodes": [
            {"id": "in", "block": "@input", "input": {"name": "items"}},
            {"id": "each", "block": "@iterate"},
            {"id": "out", "block": "@output", "input": {"name": "last"}},
        ],
        "links": [
            {"from": "in", "from_pin": "output", "to": "each", "to_pin": "items"},
            {"from": "each", "from_pin": "item", "to": "out", "to_pin": "value"},
        ],
    });
    place.file("many.json", graph.to_string());
    place.data(&["graph", "add", "many.json"]);
    let items = Value::from_iter(0..60).to_string();
    let id = place.run_id(&["many", "--arg", &format!("items={items}")]);
    let shown = place.data(&["runs", "show", &id]);
    let (_, nodes) = shown.split_once("\nNodes\n").unwrap();
    let lines: Vec<&str> = nodes.lines().collect();
    // The heading, fifty executions, and what to do.
    assert_eq!(lines.len(), 52, "{shown}");
    assert!(lines[51].starts_with("  … and more; `selfmade runs nodes "), "{shown}");
    let all = place.json(&["runs", "nodes", &id, "--limit", "1000"]);
    assert_eq!((all["nodes"].as_array().unwrap().len(), &all["more"]), (62, &json!(false)));
}

/// Nodes of one function share cells, one execution at a time.
#[test]
fn a_node_that_takes_its_cell_with_it_takes_nothing_of_others() {
    let place = Place::new();
    place.add(
        "import json\nseen = []\ndef hoards(n: int, kept=[]):\n    import os\n    found = len(seen) + len(kept) + len(getattr(json, 'kept', []))\n    \
         seen.append(n)\n    kept.append(n)\n    json.kept = [n]\n    if n % 5 == 3:\n        os.abort()\n    return [n, found]\n",
    );
    let graph = json!({
        "nodes": [
            {"id": "in", "block": "@input", "input": {"name": "items"}},
            {"id": "each", "block": "@iterate"},
            {"id": "node", "block": "hoards"},
            {"id": "good", "block": "@collect"},
            {"id": "bad", "block": "@collect"},
            {"id": "out", "block": "@output", "input": {"name": "good"}},
            {"id": "errors", "block": "@output", "input": {"name": "bad"}},
        ],
        "links": [
            {"from": "in", "from_pin": "output", "to": "each", "to_pin": "items"},
            {"from": "each", "from_pin": "item", "to": "node", "to_pin": "n"},
            {"from": "node", "from_pin": "output", "to": "good", "to_pin": "item"},
            {"from": "node", "from_pin": "error", "to": "bad", "to_pin": "item"},
            {"from": "good", "from_pin": "output", "to": "out", "to_pin": "value"},
            {"from": "bad", "from_pin": "output", "to": "errors", "to_pin": "value"},
        ],
    });
    place.file("hoarding.json", graph.to_string());
    place.data(&["graph", "add", "hoarding.json"]);
    let items = Value::from_iter(0..20).to_string();
    let run = place.json(&["run", "hoarding", "--arg", &format!("items={items}")]);
    let good: Vec<Value> = (0..20).filter(|n| n % 5 != 3).map(|n| json!([n, 0])).collect();
    assert_eq!(run["output"]["good"], json!(good), "{run}");
    assert_eq!(run["output"]["bad"].as_array().map(Vec::len), Some(4), "{run}");
    let nodes = place.json(&["runs", "nodes", run["run_id"].as_str().unwrap(), "--limit", "1000"]);
    let executed = nodes["nodes"].as_array().unwrap().iter().filter(|one| one["node"] == "node");
    let numbers: Vec<u64> = executed.map(|one| one["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=20).collect::<Vec<_>>(), "each is executed once");
}

#[test]
fn functions_triggers_and_schedules_run_graphs() {
    let place = place();
    place.add("def ask(n: int) -> int:\n    return twice(n=n)[\"out\"]\n");
    assert_eq!(place.data(&["run", "ask", "4"]), "8\n");
    assert_shows!(place.run(&["fn", "dependents", "double"]), @"
    exit: 0
    --- stdout
    DEPENDENT  KIND      HOW           TESTS
    twice      graph     calls double
    ask        function  calls twice   none
    --- stderr
    brain: [folder]/home (given by --home)
    1 function, 1 graph may be affected by a change of `double`; 1 without tests
    ");
    assert_shows!(place.run(&["trigger", "add", "again", "twice", "--source", "ask", "--arg", "n={{ event.output }}"]), @"
    exit: 0
    --- stdout
    added trigger again@1
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 4 applied; the brain is at revision 4
    ");
    assert_tells!(place.run(&["run", "ask", "5"]), @"
    exit: 0
    --- stdout
    10
    --- stderr
    brain: [folder]/home (given by --home)
    it triggered 1 run
    ");
    assert_eq!(
        place.json(&["runs", "list", "twice", "--actor", "trigger:again"])["runs"][0]["state"],
        "succeeded"
    );
    place.data(&["schedule", "add", "nightly", "twice", "0 3 * * *", "--arg", "n=7"]);
    assert_tells!(place.run(&["schedule", "run", "nightly"]), @r#"
    exit: 0
    --- stdout
    {
      "out": 14
    }
    --- stderr
    brain: [folder]/home (given by --home)
    "#);
    let called_by = place.data(&["graph", "show", "twice"]);
    assert!(
        called_by.contains("called by   ask\n") && called_by.contains("started by  again, nightly\n"),
        "{called_by}"
    );
    // It has no cell, so its time is that from its start to its end.
    let insight = place.json(&["insights", "twice"]);
    assert!(insight["insights"][0]["total_us"].as_u64() > Some(0), "{insight}");
    assert_shows!(place.run(&["graph", "rm", "twice"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      graph `twice`: cannot be deleted: `ask` depends on it
        hint: delete or change them in the same changeset
    hint: nothing was changed
    ");
}
