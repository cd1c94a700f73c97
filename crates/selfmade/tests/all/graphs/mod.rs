//! `selfmade graph …`, and runs of graphs: what they show, what they change, and what they refuse.

mod drafts;
mod guide;
mod refusing;
mod running;
mod storing;

use serde_json::{Value, json};

use crate::command::Place;

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
