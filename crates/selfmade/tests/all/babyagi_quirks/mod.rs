//! What BabyAGI's engine gets wrong about calling, dependencies, logs and keys, each shown right here, with functions in
//! BabyAGI's own form and in real cells. What is only about storing is tested where storing is.

mod calling;
mod dependencies;
mod keys;
mod logs;

use serde_json::Value;

use crate::command::Place;

/// A brain with the functions of one file.
fn loaded(functions: &str) -> Place {
    let place = Place::new();
    place.file("pack.py", format!("from functionz.core.framework import func\n\n{functions}"));
    place.data(&["pack", "load", "pack.py"]);
    place
}

/// Runs a function and gives its whole record.
fn record(place: &Place, arguments: &[&str]) -> Value {
    let id = place.run_id(arguments);
    place.json(&["runs", "show", &id])
}

/// The output of a run that must succeed.
fn output(place: &Place, arguments: &[&str]) -> Value {
    let record = record(place, arguments);
    assert_eq!(record["state"], "succeeded", "{record:#}");
    record["output"].clone()
}

/// Which function was called from which, in order.
fn calls(record: &Value) -> Vec<(String, String)> {
    let calls = record["calls"].as_array().unwrap();
    let name = |call: &Value| call["function"].as_str().unwrap().to_owned();
    let parent = |call: &Value| calls.iter().find(|other| other["position"] == call["parent"]).map(name);
    calls.iter().map(|call| (parent(call).unwrap_or_default(), name(call))).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect()
}
