//! `selfmade graph …`, and runs of graphs: what they show, what they change, and what they refuse.

use serde_json::{Value, json};

use crate::command::{Place, assert_shows, assert_tells};
use crate::projects::execute_in;
use crate::readme::{commands_in, copy_examples};

const GUIDE: &str = include_str!("../../../../docs/graphs.md");
const DOUBLE: &str = "def double(n: int) -> int:\n    return 2 * n\n";

/// `n` goes through `double` and comes out as `out`.
fn doubling() -> Value {
    json!({
        "nodes": [
            {"id": "in", "block": "@input", "input": {"name": "n", "schema": {"type": "integer"}}},
            {"id": "twice", "block": "double"},
            {"id": "out", "block": "@output", "input": {"name": "out"}},
        ],
        "links": [
            {"from": "in", "from_pin": "output", "to": "twice", "to_pin": "n"},
            {"from": "twice", "from_pin": "output", "to": "out", "to_pin": "value"},
        ],
    })
}

/// A brain with `double`, and a graph that calls it, in the file `twice.json`.
fn place() -> Place {
    let place = Place::new();
    place.add(DOUBLE);
    place.file("twice.json", doubling().to_string());
    place.data(&["graph", "add", "twice.json"]);
    place
}

/// A file with a graph that differs from `doubling`.
fn file(place: &Place, change: impl FnOnce(&mut Value)) {
    let mut graph = doubling();
    change(&mut graph);
    place.file("other.json", graph.to_string());
}

#[test]
fn a_graph_is_added_under_the_name_of_its_file_and_shown() {
    let place = Place::new();
    place.add(DOUBLE);
    place.file("twice.json", doubling().to_string());
    assert_shows!(place.run(&["graph", "add", "twice.json"]), @"
    exit: 0
    --- stdout
    added graph twice@1
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 2 applied; the brain is at revision 2
    ");
    assert_shows!(place.run(&["graph", "show", "twice"]), @r#"
    exit: 0
    --- stdout
    twice@1  live

      inputs      n: integer
      outputs     out: any
      written     [time--------------] by command_line
      hash        [hash------]

    NODE   BLOCK    CONSTANTS
    in     @input   name="n", schema={"type":"integer"}
    twice  double
    out    @output  name="out"

    FROM          TO
    in.output     twice.n
    twice.output  out.value
    --- stderr
    brain: [folder]/home (given by --home)
    "#);
    assert_shows!(place.run(&["graph", "list"]), @"
    exit: 0
    --- stdout
    NAME   VERSION  DESCRIPTION  PACK  WRITTEN
    twice  1                           [time--------------]
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["graph", "versions", "twice"]), @"
    exit: 0
    --- stdout
    VERSION        WRITTEN               WHO           HASH
    1        live  [time--------------]  command_line  [hash------]
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_eq!(place.json(&["graph", "show", "twice"])["nodes"], doubling()["nodes"]);
}

#[test]
fn what_show_prints_is_what_add_takes_and_unknown_fields_stay() {
    let place = place();
    file(&place, |graph| graph["nodes"][1]["colour"] = json!("red"));
    place.data(&["graph", "add", "other.json", "--name", "twice"]);
    let shown = place.data(&["graph", "show", "twice", "--json"]);
    assert!(shown.contains("\"colour\": \"red\""), "{shown}");
    assert_shows!(place.run_with(&["graph", "add", "-", "--name", "twice"], shown.as_bytes()), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    nothing to change; the brain stays at revision 3
    ");
    assert_shows!(place.run(&["graph", "diff", "twice"]), @r#"
    exit: 0
    --- stdout
    --- twice@1
    +++ twice@2
    @@ -14,7 +14,8 @@
         },
         {
           "id": "twice",
    -      "block": "double"
    +      "block": "double",
    +      "colour": "red"
         },
         {
           "id": "out",
    --- stderr
    brain: [folder]/home (given by --home)
    "#);
    assert_shows!(place.run(&["graph", "use", "twice", "1"]), @"
    exit: 0
    --- stdout
    updated graph twice@1 (was @2)
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 4 applied; the brain is at revision 4
    ");
    assert_shows!(place.run_with(&["graph", "add", "-"], shown.as_bytes()), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: standard input has no name
    hint: name the graph with `--name`
    ");
}

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

#[test]
fn a_graph_survives_the_way_through_files() {
    let place = place();
    place.data(&["export", "out"]);
    let other = Place::new();
    for path in ["brain.json", "functions/double.py", "graphs/twice.json"] {
        other.file(&format!("out/{path}"), place.read(&format!("out/{path}")));
    }
    other.data(&["import", "out"]);
    assert_eq!(
        other.data(&["graph", "show", "twice", "--json"]),
        place.data(&["graph", "show", "twice", "--json"])
    );
    assert_eq!(other.data(&["run", "twice", "--arg", "n=1"]), "{\n  \"out\": 2\n}\n");
}

#[test]
fn a_draft_is_edited_by_patches_and_applied() {
    let place = place();
    assert_shows!(place.run(&["graph", "drafts"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    there are none
    ");
    assert_shows!(place.run(&[
        "graph", "patch", "twice", "--remove", "out", "--set", "again.n=1", "--add", "again=double",
        "--rename", "twice=first", "--connect", "first.output=again.n", "--move", "again=10,-20.5",
    ]), @r#"
    exit: 0
    --- stdout
    added node `again` with block `double`
    renamed node `twice` to `first`
    set pin `n` of node `again`
    connected `first`.`output` → `again`.`n`
    moved node `again` to 10, -20.5
    removed node `out` and 1 link

    - node `twice`: double
    - node `out`: @output with name="out"
    + node `first`: double
    + node `again`: double with n=1
    - link `in`.`output` → `twice`.`n`
    - link `twice`.`output` → `out`.`value`
    + link `in`.`output` → `first`.`n`
    + link `first`.`output` → `again`.`n`
    --- stderr
    brain: [folder]/home (given by --home)
    the draft of `twice` is at edit 1
    hint: `selfmade --home [folder]/home graph apply twice --edit 1` makes it the live version
    "#);
    assert_shows!(place.run(&["graph", "check", "twice", "--draft"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    no problems
    ");
    assert_shows!(place.run(&[
        "graph", "patch", "twice", "--unset", "again.n", "--add", "out=@output", "--set", "out.name=out",
        "--connect", "again.output=out.value",
    ]), @"
    exit: 0
    --- stdout
    added node `out` with block `@output`
    set pin `name` of node `out`
    removed the constant of pin `n` of node `again`
    connected `again`.`output` → `out`.`value`

    - node `twice`: double
    + node `first`: double
    + node `again`: double
    - link `in`.`output` → `twice`.`n`
    - link `twice`.`output` → `out`.`value`
    + link `in`.`output` → `first`.`n`
    + link `first`.`output` → `again`.`n`
    + link `again`.`output` → `out`.`value`
    --- stderr
    brain: [folder]/home (given by --home)
    the draft of `twice` is at edit 2
    hint: `selfmade --home [folder]/home graph apply twice --edit 2` makes it the live version
    ");
    assert_shows!(place.run(&["graph", "show", "twice", "--draft"]), @r#"
    exit: 0
    --- stdout
    twice@draft  edit 2, begun with version 1

      inputs      n: integer
      outputs     out: any
      edited      [time--------------]

    NODE   BLOCK    CONSTANTS
    in     @input   name="n", schema={"type":"integer"}
    first  double
    again  double
    out    @output  name="out"

    FROM          TO
    in.output     first.n
    first.output  again.n
    again.output  out.value
    --- stderr
    brain: [folder]/home (given by --home)
    "#);
    assert_shows!(place.run(&["graph", "diff", "twice", "--draft"]), @"
    exit: 0
    --- stdout
    - node `twice`: double
    + node `first`: double
    + node `again`: double
    - link `in`.`output` → `twice`.`n`
    - link `twice`.`output` → `out`.`value`
    + link `in`.`output` → `first`.`n`
    + link `first`.`output` → `again`.`n`
    + link `again`.`output` → `out`.`value`
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["graph", "drafts"]), @"
    exit: 0
    --- stdout
    NAME   EDIT  OF VERSION  NODES  EDITED
    twice  2     1           4      [time--------------]
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_eq!(place.data(&["run", "twice", "--arg", "n=1"]), "{\n  \"out\": 2\n}\n");
    assert_shows!(place.run(&["graph", "apply", "twice", "--edit", "1"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the draft of graph `twice`: it was edited since edit 1, by command_line, and is at edit 2
    hint: read the draft again with `selfmade graph show twice --draft`, and repeat the edit on that
    ");
    assert_shows!(place.run(&["graph", "apply", "twice", "--edit", "2", "--title", "twice twice"]), @"
    exit: 0
    --- stdout
    updated graph twice@2 (was @1)
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 3 applied; the brain is at revision 3
    ");
    assert_eq!(place.data(&["run", "twice", "--arg", "n=1"]), "{\n  \"out\": 4\n}\n");
}

#[test]
fn a_selection_becomes_a_graph_of_its_own_and_comes_back() {
    let place = place();
    assert_shows!(place.run(&["graph", "pack", "twice", "twice", "--node", "inner", "--graph", "inside"]), @"
    exit: 0
    --- stdout
    - node `twice`: double
    + node `inner`: inside
    - link `in`.`output` → `twice`.`n`
    - link `twice`.`output` → `out`.`value`
    + link `in`.`output` → `inner`.`n`
    + link `inner`.`output` → `out`.`value`

    warning: node `inner`: `inside` is only a draft; apply both with `selfmade graph apply twice --edit N --with inside@N`
    --- stderr
    brain: [folder]/home (given by --home)
    the draft of `twice` is at edit 1
    hint: `inside` is a draft, too; `selfmade --home [folder]/home graph apply twice --edit 1 --with inside@0` applies both
    ");
    assert_shows!(place.run(&["graph", "apply", "twice", "--edit", "1", "--with", "inside@0"]), @"
    exit: 0
    --- stdout
    updated graph twice@2 (was @1)
    added graph inside@1
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 3 applied; the brain is at revision 3
    ");
    assert_eq!(place.data(&["run", "twice", "--arg", "n=1"]), "{\n  \"out\": 2\n}\n");
    assert_shows!(place.run(&["graph", "unpack", "twice", "inner"]), @"
    exit: 0
    --- stdout
    - node `inner`: inside
    + node `twice`: double
    - link `in`.`output` → `inner`.`n`
    - link `inner`.`output` → `out`.`value`
    + link `in`.`output` → `twice`.`n`
    + link `twice`.`output` → `out`.`value`
    --- stderr
    brain: [folder]/home (given by --home)
    the draft of `twice` is at edit 1
    hint: `selfmade --home [folder]/home graph apply twice --edit 1` makes it the live version
    ");
    assert_shows!(place.run(&["graph", "discard", "twice"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    the draft of `twice` was discarded
    ");
    assert_shows!(place.run(&["graph", "discard", "twice"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: graph `twice` has no draft
    hint: a draft begins with the first patch: `selfmade graph patch twice`
    ");
}

#[test]
fn of_two_editors_of_one_node_the_second_is_told() {
    let place = place();
    place.data(&["graph", "patch", "twice", "--edit", "0", "--set", "in.title=Number"]);
    assert_shows!(place.run(&["graph", "patch", "twice", "--edit", "0", "--set", "in.title=Count"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the draft of graph `twice`: node `in` changed since edit 0: edit 1, by command_line
    hint: read the draft again with `selfmade graph show twice --draft`, and repeat the edit on that
    ");
    // Another node is nobody else's.
    assert_shows!(place.run(&["graph", "patch", "twice", "--edit", "0", "--set", "out.title=Double"]), @r#"
    exit: 0
    --- stdout
    set pin `title` of node `out`

    ~ node `in`: input.title: nothing → "Number"
    ~ node `out`: input.title: nothing → "Double"
    --- stderr
    brain: [folder]/home (given by --home)
    the draft of `twice` is at edit 2
    hint: `selfmade --home [folder]/home graph apply twice --edit 2` makes it the live version
    "#);
}

#[test]
fn a_draft_of_what_changed_meanwhile_is_rebased_before_it_is_applied() {
    let place = place();
    place.data(&["graph", "patch", "twice", "--set", "in.title=Number"]);
    file(&place, |graph| graph["nodes"][2]["input"]["title"] = json!("Double"));
    place.data(&["graph", "add", "other.json", "--name", "twice"]);
    assert_shows!(place.run(&["graph", "apply", "twice", "--edit", "1"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: graph `twice` is at version 2
    hint: read it again, and change the current version; a draft goes on from there after `selfmade graph rebase twice`
    ");
    assert_shows!(place.run(&["graph", "rebase", "twice"]), @r#"
    exit: 0
    --- stdout
    ~ node `in`: input.title: nothing → "Number"
    --- stderr
    brain: [folder]/home (given by --home)
    the draft of `twice` is based on version 2, and at edit 2
    "#);
    assert_shows!(place.run(&["graph", "apply", "twice", "--edit", "2"]), @"
    exit: 0
    --- stdout
    updated graph twice@3 (was @2)
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 4 applied; the brain is at revision 4
    ");
    let nodes = &place.json(&["graph", "show", "twice"])["nodes"];
    assert_eq!(
        (&nodes[0]["input"]["title"], &nodes[2]["input"]["title"]),
        (&json!("Number"), &json!("Double"))
    );
}

#[test]
fn an_edited_graph_is_a_new_version_and_a_bad_one_is_kept() {
    let mut place = place();
    place.set("TMPDIR", &place.path("").display().to_string());
    place.set("EDITOR", "sed -i s/twice/double_it/");
    assert_shows!(place.run(&["graph", "edit", "twice"]), @"
    exit: 0
    --- stdout
    updated graph twice@2 (was @1)
    --- stderr
    brain: [folder]/home (given by --home)
    changeset 3 applied; the brain is at revision 3
    ");
    place.set("EDITOR", "sed -i s/block/blok/");
    assert_shows!(place.run(&["graph", "edit", "twice"]), @r#"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `twice.json` is not a graph: node 1 has no `block`
    hint: a graph is written as {"nodes": [{"id": …, "block": …}], "links": […]}; `selfmade graph show NAME --json` prints one
    hint: your text is kept in `[folder]/selfmade-edit-[random]/twice.json`; correct it and run `selfmade --home [folder]/home graph add [folder]/selfmade-edit-[random]/twice.json --name twice`
    "#);
    place.set("EDITOR", "true");
    assert_shows!(place.run(&["graph", "edit", "twice"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    the file was not changed, so `twice` stays the same
    ");
}

#[test]
fn built_in_blocks_and_the_pins_of_functions_and_graphs_are_listed() {
    let place = place();
    let blocks = place.data(&["graph", "blocks"]);
    assert_eq!(blocks.lines().count(), 13, "{blocks}");
    assert!(blocks.contains("@iterate"), "{blocks}");
    assert_shows!(place.run(&["graph", "blocks", "double"]), @"
    exit: 0
    --- stdout
    double@1  function

    PIN             TYPE               DESCRIPTION
    n       input   integer  required
    output  output  integer
    error   output  string
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["graph", "blocks", "twice@1"]), @"
    exit: 0
    --- stdout
    twice@1  graph

    PIN            TYPE               DESCRIPTION
    n      input   integer  required
    out    output  any
    error  output  string
    --- stderr
    brain: [folder]/home (given by --home)
    ");
    assert_shows!(place.run(&["graph", "blocks", "nothing"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no function `nothing`
    hint: `selfmade search nothing` finds names like it
    ");
}

#[test]
fn what_is_no_graph_is_refused_with_what_it_lacks() {
    let place = place();
    let before = place.brain();
    place.file("broken.json", "{\"nodes\": [");
    assert_shows!(place.run(&["graph", "add", "broken.json"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `broken.json` is not valid JSON: EOF while parsing a list at line 1 column 11
    hint: correct it there, and try again
    ");
    // As AutoGPT writes graphs, and n8n.
    place.file(
        "foreign.json",
        json!({"nodes": [{"id": "a", "block_id": "1", "input_default": {}}], "links": []}).to_string(),
    );
    assert_shows!(place.run(&["graph", "add", "foreign.json"]), @r#"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `foreign.json` is not a graph: node 1 has no `block`, but a `block_id` as files of other products have
    hint: a graph is written as {"nodes": [{"id": …, "block": …}], "links": […]}; `selfmade graph show NAME --json` prints one
    "#);
    place.file(
        "foreign.json",
        json!({"name": "w", "nodes": [{"id": "a", "type": "n8n.set"}], "connections": {}}).to_string(),
    );
    assert_shows!(place.run(&["graph", "check", "foreign.json"]), @r#"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `foreign.json` is not a graph: node 1 has no `block`, but a `type` as files of other products have
    hint: a graph is written as {"nodes": [{"id": …, "block": …}], "links": […]}; `selfmade graph show NAME --json` prints one
    "#);
    place.file("foreign.json", "[1]");
    assert_shows!(place.run(&["graph", "add", "foreign.json"]), @r#"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `foreign.json` is not a graph: it has no `nodes`
    hint: a graph is written as {"nodes": [{"id": …, "block": …}], "links": […]}; `selfmade graph show NAME --json` prints one
    "#);
    place.file("empty.json", json!({"nodes": []}).to_string());
    assert_shows!(place.run(&["graph", "add", "empty.json"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      graph `empty`: there is no node to start with; add an `@input`, or a node whose pins are not linked
    hint: nothing was changed
    ");
    assert_shows!(place.run(&["graph", "add", "nowhere.json"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: cannot read `nowhere.json`
      caused by: No such file or directory (os error 2)
    hint: check the name and the current folder
    ");
    assert_eq!(place.brain(), before);
}

#[test]
fn everything_that_is_wrong_is_told_with_node_and_pin() {
    let place = place();
    place.add("def names() -> list[str]:\n    return []\n");
    file(&place, |graph| {
        graph["nodes"][1]["block"] = json!("duble");
        graph["links"][1]["to_pin"] = json!("valu");
    });
    assert_shows!(place.run(&["graph", "check", "other.json"]), @"
    exit: 5
    --- stdout
    error: node `twice`: no function or graph is named `duble`; did you mean `double`?
    error: node `out`, pin `valu`: the block has no input pin `valu`; did you mean `value`?
    error: node `out`, pin `value`: is required; link it or give it a constant
    --- stderr
    brain: [folder]/home (given by --home)
    3 errors; the graph cannot be added or applied
    ");
    assert_shows!(place.run(&["graph", "add", "other.json"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      graph `other`: node `twice`: no function or graph is named `duble`; did you mean `double`?
      graph `other`: node `out`, pin `valu`: the block has no input pin `valu`; did you mean `value`?
      graph `other`: node `out`, pin `value`: is required; link it or give it a constant
    hint: nothing was changed
    ");
    file(&place, |graph| graph["nodes"][0] = json!({"id": "in", "block": "names"}));
    assert_shows!(place.run(&["graph", "check", "other.json"]), @"
    exit: 5
    --- stdout
    error: node `twice`, pin `n`: takes `integer`, but node `in` gives `array` on `output`; link another pin or convert the value
    --- stderr
    brain: [folder]/home (given by --home)
    1 error; the graph cannot be added or applied
    ");
    file(&place, |graph| graph["links"][0]["from"] = json!("twice"));
    assert_shows!(place.run(&["graph", "check", "other.json"]), @"
    exit: 5
    --- stdout
    error: node `twice`: there is a cycle through `twice`; set `budget` to how many node executions a run may have
    warning: node `twice`, pin `n`: never gets a value, so the node never runs; link it to a node that runs
    warning: node `out`, pin `value`: never gets a value, so the node never runs; link it to a node that runs
    --- stderr
    brain: [folder]/home (given by --home)
    1 error; the graph cannot be added or applied
    ");
    file(&place, |graph| graph["nodes"][1]["block"] = json!("@itterate"));
    assert_shows!(place.run(&["graph", "check", "other.json", "--json"]), @r#"
    exit: 5
    --- stdout
    {
      "problems": [
        {
          "severity": "error",
          "code": "unknown_block",
          "node": "twice",
          "message": "`@itterate` is not a built-in block; did you mean `@iterate`?"
        }
      ]
    }
    --- stderr
    "#);
    place.data(&["fn", "rm", "names"]);
    assert_eq!(place.json(&["graph", "list"])["graphs"].as_array().unwrap().len(), 1);
}

#[test]
fn a_function_that_a_graph_calls_stays_and_a_name_is_taken_once() {
    let place = place();
    assert_shows!(place.run(&["fn", "rm", "double"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      function `double`: cannot be deleted: `twice` depends on it
        hint: delete or change them in the same changeset
    hint: nothing was changed
    ");
    assert_shows!(place.run(&["graph", "add", "twice.json", "--name", "double"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      graph `double`: a function has this name, and callers could not tell them apart
        hint: use another name, or delete the function in the same changeset
      graph `double`: node `twice`, pin `output`: the block has no output pin `output`; its output pins are `out` and `error`
      graph `double`: node `twice`: the graph would contain itself, by way of `double`; call another
      graph `twice`: node `twice`, pin `output`: the block has no output pin `output`; its output pins are `out` and `error`
        hint: the stored graph `twice` would no longer run: change it in the same changeset, or keep the pins; `--force` applies it all the same (over HTTP `?force=true`)
    hint: nothing was changed
    ");
    assert_shows!(place.run_with(&["fn", "add", "-"], b"def twice(n: int) -> int:\n    return n\n"), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      function `twice`: a graph has this name, and callers could not tell them apart
        hint: use another name, or delete the graph in the same changeset
    hint: nothing was changed
    ");
    assert_shows!(place.run_with(&["fn", "add", "-"], b"def double(m: int) -> int:\n    return m\n"), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the changeset does not pass its checks
      graph `twice`: node `twice`, pin `n`: the block has no input pin `n`; its input pins are `m`
        hint: the stored graph `twice` would no longer run: change it in the same changeset, or keep the pins; `--force` applies it all the same (over HTTP `?force=true`)
      graph `twice`: node `twice`, pin `m`: is required; link it or give it a constant
        hint: the stored graph `twice` would no longer run: change it in the same changeset, or keep the pins; `--force` applies it all the same (over HTTP `?force=true`)
    hint: nothing was changed
    ");
}

#[test]
fn a_patch_that_cannot_be_read_or_applied_changes_nothing() {
    let place = place();
    assert_shows!(place.run(&["graph", "patch", "twice"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is nothing to edit
    hint: name a file with patches, or an edit such as `--set ID.PIN=VALUE`
    ");
    assert_shows!(place.run(&["graph", "patch", "twice", "--set", "n=1"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `n=1` cannot be read
    hint: write `--set ID.PIN=VALUE`; an id with a dot is written in a file of patches
    ");
    assert_shows!(place.run(&["graph", "patch", "twice", "--set", "in.title=x", "--unset", "twize.n"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the draft of graph `twice`: patch 2: the graph has no node `twize`; did you mean `twice`?
    hint: nothing was changed; correct the patch and send all of them again
    ");
    place.file("patches.json", json!([{"op": "paint", "node": "in"}]).to_string());
    assert_shows!(place.run(&["graph", "patch", "twice", "patches.json"]), @r#"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `patches.json` is not a list of patches: unknown variant `paint`, expected one of `add`, `remove`, `connect`, `disconnect`, `set`, `unset`, `set_field`, `unset_field`, `move`, `rename`
    hint: write for example [{"op": "set", "node": "a", "pin": "n", "value": 1}]
    "#);
    assert_shows!(place.run(&["graph", "show", "twice", "--draft"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: graph `twice` has no draft
    hint: a draft begins with the first patch: `selfmade graph patch twice`
    ");
    place.file("patches.json", json!([{"op": "set_field", "field": "budget", "value": 10}]).to_string());
    assert_shows!(place.run(&["graph", "patch", "twice", "patches.json"]), @"
    exit: 0
    --- stdout
    set `budget` of the graph

    ~ budget: nothing → 10
    --- stderr
    brain: [folder]/home (given by --home)
    the draft of `twice` is at edit 1
    hint: `selfmade --home [folder]/home graph apply twice --edit 1` makes it the live version
    ");
}

#[test]
fn the_example_of_the_guide_works_as_it_is_printed() {
    let place = Place::without_home();
    copy_examples(&place);
    let commands = commands_in(tutorial());
    assert!(commands.len() >= 10, "{commands:?}");
    let mut told = Vec::new();
    for command in commands {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let shown = place.run(&words);
        assert!(shown.starts_with("exit: 0\n"), "selfmade {}\n{shown}", command.join(" "));
        if words[0] == "run" {
            told.push(shown.lines().filter(|line| line.contains("\"word\"")).collect::<String>());
        }
    }
    // The draft changed nothing for callers until it was applied.
    assert_eq!(told, ["  \"word\": \"graph\"", "  \"word\": \"graph\"", "  \"word\": \"graph!\""]);
}

/// What the guide begins with: a graph that the rest of it uses.
fn tutorial() -> &'static str {
    GUIDE.split_once("\n## ").unwrap().0
}

#[test]
fn the_breakpoints_of_the_guide_work_as_they_are_printed() {
    let script = include_str!("../../../../docs/examples/graph_breakpoints.sh");
    let (_, after) = GUIDE.split_once(script).expect("docs/graphs.md prints `graph_breakpoints.sh` as it is");
    let printed = after.split("```").nth(2).and_then(|block| block.strip_prefix("text\n")).unwrap();
    let place = Place::without_home();
    copy_examples(&place);
    // Until the graph is there.
    for command in commands_in(tutorial()).into_iter().take(3) {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        place.data(&words);
    }
    let (done, shown) = execute_in(&place, script);
    assert!(done, "{shown}");
    let mut lines = shown.lines();
    assert!(printed.lines().all(|line| lines.any(|shown| shown == line)), "{shown}");
}

#[test]
fn a_draft_and_some_of_its_nodes_are_run_and_what_a_node_gave_is_pinned() {
    let place = place();
    let shown = |arguments: &[&str]| serde_json::from_str::<Value>(&place.data(arguments)).unwrap();
    let run =
        shown(&["graph", "run", "twice", "--arg", "n=5", "--json"])["run_id"].as_str().unwrap().to_owned();
    place.data(&["graph", "patch", "twice", "--disconnect", "in.output=twice.n", "--set", "twice.n=9"]);
    assert_eq!(shown(&["graph", "run", "twice", "--draft", "--arg", "n=1"]), json!({"out": 18}));
    assert_eq!(shown(&["graph", "run", "twice", "--arg", "n=1"]), json!({"out": 2}));
    let given = ["graph", "run", "twice", "--only", "twice,out", "--give", "twice.n=4"];
    assert_eq!(shown(&given), json!({"out": 8}));
    assert_eq!(shown(&["graph", "run", "twice", "--from", "out", "--run", &run]), json!({"out": 10}));
    place.data(&["graph", "pin", "twice", "twice", "--from", &run]);
    assert_eq!(shown(&["graph", "run", "twice", "--draft", "--arg", "n=1"]), json!({"out": 10}));
    place.data(&["graph", "unpin", "twice", "twice"]);
    assert_eq!(shown(&["graph", "run", "twice", "--draft", "--arg", "n=1"]), json!({"out": 18}));
    assert!(
        place.run(&["graph", "run", "twice", "--node", "out"]).contains("gets its values from node `twice`")
    );
    assert!(place.run(&["runs", "replay", &run]).contains("replayed identically: succeeded"));
}

#[test]
fn a_preset_is_run_by_its_name() {
    let place = place();
    place.data(&["preset", "set", "twice", "three", "--arg", "n=3"]);
    let shown = |arguments: &[&str]| serde_json::from_str::<Value>(&place.data(arguments)).unwrap();
    assert_eq!(shown(&["run", "twice", "--preset", "three"]), json!({"out": 6}));
    assert_eq!(shown(&["run", "twice", "--preset", "three", "--arg", "n=4"]), json!({"out": 8}));
    assert_eq!(shown(&["preset", "show", "twice", "three"]), json!({"n": 3}));
    assert!(place.data(&["preset", "list"]).contains("three"));
    place.data(&["preset", "rm", "twice", "three"]);
    assert!(
        place
            .run(&["run", "twice", "--preset", "three"])
            .contains("there is no preset named `three` of `twice`")
    );
}
