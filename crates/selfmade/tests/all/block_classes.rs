//! Blocks written as classes: loaded as they are, and their own test vectors run in cells.

use std::path::Path;

use crate::command::Place;

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../model/tests/blocks");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

const FILES: [&str; 10] = [
    "credentials.py",
    "later.py",
    "orders.py",
    "posts.py",
    "remember.py",
    "reverse.py",
    "shapes.py",
    "traffic.py",
    "weather.py",
    "words.py",
];

#[test]
fn a_folder_of_blocks_is_loaded_and_passes_its_own_tests() {
    let place = Place::new();
    for name in FILES {
        place.file(&format!("classes/{name}"), fixture(name));
    }
    let shown = place.run(&["pack", "load", "classes"]);
    assert!(shown.starts_with("exit: 0\n") && shown.contains("changeset 1 applied"), "{shown}");
    let shown = place.run(&["test"]);
    assert!(shown.contains("12 passed"), "{shown}");
    let shown = place.run(&["run", "traffic_light", "blue"]);
    assert!(shown.contains("`light` must be one of `red`, `green`"), "{shown}");
}

/// One unit for many sizes, by a block with a static output.
const AREAS: &str = r#"{
    "kind": "graph",
    "nodes": [
        {"id": "sizes", "block": "@input", "input": {"name": "sizes"}},
        {"id": "each", "block": "@iterate"},
        {"id": "unit", "block": "remember", "input": {"list": [], "input": "cm²"}},
        {"id": "area", "block": "square_area"},
        {"id": "all", "block": "@collect"},
        {"id": "areas", "block": "@output", "input": {"name": "areas"}}
    ],
    "links": [
        {"from": "sizes", "from_pin": "output", "to": "each", "to_pin": "items"},
        {"from": "each", "from_pin": "item", "to": "area", "to_pin": "size"},
        {"from": "unit", "from_pin": "last", "to": "area", "to_pin": "unit"},
        {"from": "area", "from_pin": "text", "to": "all", "to_pin": "item"},
        {"from": "all", "from_pin": "output", "to": "areas", "to_pin": "value"}
    ]
}"#;

#[test]
fn class_blocks_are_joined_in_a_graph_by_the_pins_of_their_schemas() {
    let place = Place::new();
    for name in ["remember.py", "shapes.py"] {
        place.file(&format!("classes/{name}"), fixture(name));
    }
    place.run(&["pack", "load", "classes"]);
    place.run(&["export", "brain"]);
    place.file("brain/graphs/areas.json", AREAS);
    let shown = place.run(&["import", "brain"]);
    assert!(shown.starts_with("exit: 0\n"), "{shown}");
    // What a test needs is no pin.
    place.file("brain/graphs/areas.json", AREAS.replace(r#""to_pin": "unit""#, r#""to_pin": "_trial""#));
    let shown = place.run(&["import", "brain"]);
    assert!(!shown.starts_with("exit: 0\n") && shown.contains("_trial"), "{shown}");
}

#[test]
fn a_block_whose_vector_does_not_hold_is_not_stored() {
    let place = Place::new();
    place.file("reverse.py", fixture("reverse.py").replace("\"cba\"", "\"abc\""));
    let shown = place.run(&["fn", "add", "reverse.py"]);
    assert!(shown.contains(r#"test 1 fails: expected [["reversed_text","abc"]]"#), "{shown}");
    place.file("reverse.py", fixture("reverse.py"));
    let shown = place.run(&["fn", "add", "reverse.py"]);
    assert!(shown.contains("added function reverse_text@1"), "{shown}");
}
