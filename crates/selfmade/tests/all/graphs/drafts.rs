//! Drafts of graphs: edited, packed, rebased and applied.

use serde_json::json;

use super::{file, place};
use crate::command::assert_shows;

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
