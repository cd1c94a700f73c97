//! Graphs that are added, shown, listed and exported.

use serde_json::json;

use super::{DOUBLE, doubling, file, place};
use crate::command::{Place, assert_shows};

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
