//! What is refused of a graph, and with which words.

use serde_json::json;

use super::{file, place};
use crate::command::assert_shows;

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
fn everything_that_is_wrong_is_reported_with_node_and_pin() {
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
