//! `selfmade graph import|export|draw|estimate|upgrades|upgrade`, and runs of graphs that stop and go on.

use std::path::Path;

use serde_json::{Value, json};

use crate::command::{Place, assert_shows, assert_tells};

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

fn place() -> Place {
    let place = Place::new();
    place.add(DOUBLE);
    place.file("twice.json", doubling().to_string());
    place.data(&["graph", "add", "twice.json"]);
    place
}

/// A graph of AutoGPT's server of 2024, with a block that there is not.
fn foreign() -> Value {
    json!({
        "id": "g", "version": 1, "is_active": true, "is_template": false, "name": "Old Agent", "description": "",
        "nodes": [
            {"id": "v", "block_id": "1ff065e9-88e8-4358-9d82-8dc91f622ba9", "input_default": {"input": "x"}, "metadata": {}},
            {"id": "gone", "block_id": "11111111-2222-3333-4444-555555555555", "input_default": {"password": "hunter22hunter22"}, "metadata": {}},
        ],
        "links": [
            {"id": "l", "source_id": "v", "source_name": "output", "sink_id": "gone", "sink_name": "text", "is_static": false},
        ],
    })
}

#[test]
fn a_file_is_looked_at_imported_and_exported_as_it_was() {
    let place = place();
    place.file("agent.json", foreign().to_string());
    assert_shows!(place.run(&["graph", "import", "agent.json", "--dry-run"]), @"
    exit: 0
    --- stdout
    graph old_agent: 2 nodes, 1 link, 1 placeholder
    --- stderr
    brain: [folder]/home (given by --home)
    1 block is not available:
      11111111-2222-3333-4444-[hash------] (1 node)
    2 notes:
      graph `old_agent`, node `gone`, pin `password`: a secret was left out; store it with `selfmade secret set` and grant it to the function
      graph `old_agent`, node `gone`: no block with the id `11111111-2222-3333-4444-[hash------]` is known; a placeholder keeps its values and links, and nothing that needs it runs
    exported again, it is the same file as far as it is not edited
    nothing was changed
    ");
    assert_shows!(place.run(&["graph", "import", "agent.json", "--name", "old"]), @"
    exit: 0
    --- stdout
    graph old: 2 nodes, 1 link, 1 placeholder
    --- stderr
    brain: [folder]/home (given by --home)
    1 block is not available:
      11111111-2222-3333-4444-[hash------] (1 node)
    2 notes:
      graph `old`, node `gone`, pin `password`: a secret was left out; store it with `selfmade secret set` and grant it to the function
      graph `old`, node `gone`: no block with the id `11111111-2222-3333-4444-[hash------]` is known; a placeholder keeps its values and links, and nothing that needs it runs
    exported again, it is the same file as far as it is not edited
    changeset 3 applied; the brain is at revision 3
    ");
    place.data(&["graph", "export", "old", "--format", "graph2024", "-o", "again.json"]);
    let again: Value = serde_json::from_str(&place.read("again.json")).unwrap();
    assert_eq!(again["links"], foreign()["links"]);
    assert_eq!(again["nodes"][1]["input_default"], json!({ "password": "" }), "without the secret");
    // A file of ours has no name inside: it gets that of the file.
    place.file("copy.json", doubling().to_string());
    place.data(&["graph", "import", "copy.json"]);
    assert_eq!(place.data(&["run", "copy", "--arg", "n=4"]), "{\n  \"out\": 8\n}\n");
}

#[test]
fn drafts_are_left_to_be_edited() {
    let place = place();
    place.file("new.json", doubling().to_string());
    assert_shows!(place.run(&["graph", "import", "new.json", "--draft"]), @"
    exit: 0
    --- stdout
    graph new: 3 nodes, 2 links
    --- stderr
    brain: [folder]/home (given by --home)
    they are drafts; nothing is live yet
    hint: `selfmade --home [folder]/home graph apply new --edit 0` makes them live
    ");
    assert_tells!(place.run(&["graph", "import", "new.json", "--draft"]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is already a draft of a graph named `new`
    ");
    place.data(&["graph", "apply", "new", "--edit", "0"]);
    assert_eq!(place.data(&["run", "new", "--arg", "n=1"]), "{\n  \"out\": 2\n}\n");
}

#[test]
fn what_cannot_be_imported_or_exported_says_what_to_do() {
    let place = place();
    place.file("steps.json", "{\"steps\": []}");
    assert_tells!(place.run(&["graph", "import", "steps.json"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: this is not a graph: it has `steps`; a graph file is an object with `nodes` and `links`, as selfmade and AutoGPT export it
    hint: nothing was changed; correct the file, or export it again
    ");
    place.file("broken.json", "{\"nodes\": [");
    assert_tells!(place.run(&["graph", "import", "broken.json"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the file is not JSON: EOF while parsing a list at line 1 column 11
    hint: nothing was changed; correct the file, or export it again
    ");
    assert_tells!(place.run(&["graph", "export", "twice", "--format", "yaml"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: invalid value 'yaml' for '--format <FORMAT>': use selfmade, graph2024 or agent

    For more information, try '--help'.
    ");
    assert_tells!(place.run(&["graph", "export", "twices"]), @"
    exit: 4
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: there is no graph `twices`
    hint: did you mean `twice`?
    ");
}

#[test]
fn a_graph_is_drawn_as_text_and_as_svg() {
    let place = place();
    assert_shows!(place.run(&["graph", "draw", "twice"]), @r#"
    exit: 0
    --- stdout
    ┏━ n ━━━━━━━━━━━━━━━━━━━━━━━━━┓
    ┃ in · @input                 ┃
    ┃ name = "n"                  ┃
    ┃ schema = {"type":"integer"} ┃
    ┠ output ─▶ twice.n           ┃
    ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
    ┏━ double ━━━━━━━━━━━━┓
    ┃ twice · double      ┃
    ┃ n                   ┃
    ┠ output ─▶ out.value ┃
    ┗━━━━━━━━━━━━━━━━━━━━━┛
    ┏━ out ━━━━━━━━━━━━┓
    ┃ @output          ┃
    ┃ value            ┃
    ┃ name = "out"     ┃
    ┗━━━━━━━━━━━━━━━━━━┛
    --- stderr
    brain: [folder]/home (given by --home)
    "#);
    place.data(&["graph", "draw", "twice", "--svg", "-o", "twice.svg"]);
    let svg = place.read("twice.svg");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
}

#[test]
fn an_estimate_says_what_it_knows_and_what_not() {
    let place = place();
    assert_shows!(place.run(&["run", "twice", "--estimate"]), @"
    exit: 0
    --- stdout
      expected    at least 0 µs
      high        at least 0 µs
      way         in → twice → out
      unknown     twice
    --- stderr
    brain: [folder]/home (given by --home)
    nothing was run
    ");
    place.data(&["run", "twice", "--arg", "n=1"]);
    let known = place.json(&["graph", "estimate", "twice"]);
    assert_eq!(
        (&known["unknown"], &known["blocks"][0]["runs"], &known["complete"]),
        (&json!([]), &json!(1), &json!(true))
    );
    assert_tells!(place.run(&["run", "double", "--estimate"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `double` is a function, and only runs of graphs are estimated
    hint: `selfmade --home [folder]/home insights double` shows how long its runs took
    ");
}

#[test]
fn a_pinned_node_is_shown_and_moved_in_the_draft() {
    let place = place();
    let mut pinned = doubling();
    pinned["nodes"][1]["version"] = json!(1);
    place.file("twice.json", pinned.to_string());
    place.data(&["graph", "add", "twice.json"]);
    place.add("def double(n: int, factor: int = 2) -> int:\n    return factor * n\n");
    assert_shows!(place.run(&["graph", "upgrades", "twice"]), @r#"
    exit: 0
    --- stdout
    twice: double @1 → @2  everything still fits
      + input `factor` {"type":"integer"}
    --- stderr
    brain: [folder]/home (given by --home)
    hint: `selfmade --home [folder]/home graph upgrade twice NODE…` moves nodes to the live versions, in the draft
    "#);
    assert_tells!(place.run(&["graph", "upgrade", "twice", "out"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: node `out` of `twice` does not pin an older version
    hint: `selfmade graph upgrades twice` lists those that do
    ");
    assert_shows!(place.run(&["graph", "upgrade", "twice", "twice"]), @r#"
    exit: 0
    --- stdout
    set `version` of node `twice`

    ~ node `twice`: version: 1 → 2
    --- stderr
    brain: [folder]/home (given by --home)
    twice: double @1 → @2  everything still fits
      + input `factor` {"type":"integer"}
    the draft of `twice` is at edit 1
    hint: `selfmade --home [folder]/home graph apply twice --edit 1` makes it the live version
    "#);
    place.data(&["graph", "apply", "twice", "--edit", "1"]);
    assert_shows!(place.run(&["graph", "upgrades", "twice"]), @"
    exit: 0
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    every node that pins a version pins the live one
    ");
}

/// Starts a run of `twice` that is expected to stand somewhere.
fn standing(place: &Place, options: &[&str]) -> String {
    let arguments = [&["run", "twice", "--arg", "n=4", "--json"], options].concat();
    let output = place.output(&arguments, b"", Path::new(""));
    assert_eq!(output.status.code(), Some(8), "{output:?}");
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(run["waiting"]["breakpoints"].is_object(), "{run}");
    run["run_id"].as_str().unwrap().to_owned()
}

#[test]
fn a_run_stands_at_a_breakpoint_until_it_is_released() {
    let place = place();
    assert_tells!(place.run(&["run", "twice", "--arg", "n=4", "--break", "twice"]), @"
    exit: 8
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    run [id] stands before `twice`
    hint: `selfmade runs held [id----]` shows the values; `selfmade runs release [id----]` lets it go on
    ");
    let id = standing(&place, &["--break", "twice"]);
    assert_tells!(place.run(&["runs", "held", &id]), @r#"
    exit: 0
    --- stdout
    before twice, with the input
      {"n":4}
    --- stderr
    brain: [folder]/home (given by --home)
    hint: `selfmade --home [folder]/home runs release [id----]` lets it go on
    "#);
    assert_tells!(place.run(&["runs", "release", &id, "nobody"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] does not stand at node `nobody`
    hint: `GET /api/v1/runs/[id]/held` shows where it stands
    ");
    assert_tells!(place.run(&["runs", "release", &id, "twice", "--value", "five"]), @r#"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: the value is not valid JSON: expected ident at line 1 column 2
    hint: quote it for the shell, such as --value '"text"' or --value '{"n": 1}'
    "#);
    let released = place.data(&["runs", "release", &id, "twice", "--value", "{\"n\": 5}"]);
    assert_eq!(released, "{\n  \"out\": 10\n}\n");
    assert_tells!(place.run(&["runs", "release", &id]), @"
    exit: 5
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] has already succeeded
    ");
}

#[test]
fn a_run_goes_on_step_by_step_or_to_the_end() {
    let place = place();
    let id = standing(&place, &["--step"]);
    assert_tells!(place.run(&["runs", "release", &id]), @"
    exit: 8
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    run [id] stands before `twice`
    hint: `selfmade runs held [id----]` shows the values; `selfmade runs release [id----]` lets it go on
    ");
    assert_eq!(place.data(&["runs", "release", &id, "--to-the-end"]), "{\n  \"out\": 8\n}\n");
    let link = "twice.output=out.value";
    let id = standing(&place, &["--break-link", link]);
    assert_tells!(place.run(&["runs", "held", &id]), @"
    exit: 0
    --- stdout
    on the link `twice`.`output` → `out`.`value`, the value
      8
    --- stderr
    brain: [folder]/home (given by --home)
    hint: `selfmade --home [folder]/home runs release [id----]` lets it go on
    ");
    let released = place.data(&["runs", "release", &id, "--link", link, "--value", "9"]);
    assert_eq!(released, "{\n  \"out\": 9\n}\n");
}

#[test]
fn a_breakpoint_that_is_not_there_is_refused() {
    let place = place();
    assert_tells!(place.run(&["run", "twice", "--arg", "n=4", "--break", "twcie"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `twice`: the graph has no node `twcie`; did you mean `twice`?
    hint: `selfmade graph show twice` shows its nodes and links
    ");
    assert_tells!(place.run(&["run", "twice", "--arg", "n=4", "--break-link", "twice"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: invalid value 'twice' for '--break-link <FROM.PIN=TO.PIN>': `twice` is not a link; write FROM.PIN=TO.PIN

    For more information, try '--help'.
    ");
    let id = place.run_id(&["double", "--arg", "n=4"]);
    assert_tells!(place.run(&["runs", "held", &id]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] is not of a graph, so it has no breakpoints
    hint: `selfmade runs show` shows what it waits for
    ");
}

#[test]
fn a_pinned_value_takes_the_place_of_a_node() {
    let place = place();
    let run = ["run", "twice", "--arg", "n=4", "--pin", "twice.output=1"];
    assert_eq!(place.data(&run), "{\n  \"out\": 1\n}\n");
    assert_tells!(place.run(&["run", "twice", "--arg", "n=4", "--pin", "twice"]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: `twice` is not a pinned value
    hint: write `--pin NODE.PIN=VALUE`
    ");
}

#[test]
fn a_failed_run_goes_on_from_where_it_failed() {
    let place = place();
    place.add("def double(n: int) -> int:\n    raise ValueError('not today')\n");
    let id = place.run_id(&["twice", "--arg", "n=4"]);
    assert_tells!(place.run(&["runs", "resume", &id, "--plan"]), @"
    exit: 0
    --- stdout
    NODE   NTH  BLOCK   WHY
    twice  1    double  ValueError: not today
    --- stderr
    brain: [folder]/home (given by --home)
    1 node execution would be kept; nothing was run
    ");
    place.add(DOUBLE);
    let same = place.output(&["runs", "resume", &id, "--json"], b"", Path::new(""));
    assert_eq!(same.status.code(), Some(7), "on the versions it ran: {same:?}");
    assert_eq!(place.data(&["runs", "resume", &id, "--newer"]), "{\n  \"out\": 8\n}\n");
    let done = place.run_id(&["twice", "--arg", "n=4"]);
    assert_tells!(place.run(&["runs", "resume", &done]), @"
    exit: 3
    --- stdout
    --- stderr
    brain: [folder]/home (given by --home)
    error: run [id] is succeeded, and only a run that failed can be resumed
    hint: `selfmade runs rerun [id]` runs it again from the beginning
    ");
}
