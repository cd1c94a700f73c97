//! Graphs that are too large, never end, or cannot be run: each is refused or ends with its node, and nothing else is changed.

use serde_json::{Value, json};

use crate::command::Place;

const FUNCTIONS: &str = "\
def add_one(n: int) -> int:
    return n + 1


def large(n: int) -> str:
    return 'x' * n


def first(items: list[str]) -> str:
    return items[0]
";

fn place() -> Place {
    let place = Place::new();
    place.add(FUNCTIONS);
    place
}

fn add(place: &Place, name: &str, graph: &Value) -> String {
    let file = format!("{name}.json");
    place.file(&file, graph.to_string());
    place.run(&["graph", "add", &file])
}

fn added(place: &Place, name: &str, graph: &Value) {
    let said = add(place, name, graph);
    assert!(said.starts_with("exit: 0"), "{said}");
}

/// Adding it changes nothing, and says this.
fn refused(place: &Place, name: &str, graph: &Value, why: &str) {
    let before = place.json(&["graph", "list"]);
    let said = add(place, name, graph);
    assert!(!said.starts_with("exit: 0") && said.contains(why), "{said}");
    assert_eq!(place.json(&["graph", "list"]), before);
}

fn link(from: &str, to: &str) -> Value {
    let ((from, from_pin), (to, to_pin)) = (from.split_once('.').unwrap(), to.split_once('.').unwrap());
    json!({"from": from, "from_pin": from_pin, "to": to, "to_pin": to_pin})
}

/// So many nodes, one after the other.
fn chain(length: usize) -> Value {
    let mut nodes = vec![json!({"id": "in", "block": "@input", "input": {"name": "n"}})];
    let mut links = vec![link("in.output", "n0.input")];
    nodes.extend((0..length).map(|at| json!({"id": format!("n{at}"), "block": "@store"})));
    links.extend((1..length).map(|at| link(&format!("n{}.output", at - 1), &format!("n{at}.input"))));
    nodes.push(json!({"id": "out", "block": "@output", "input": {"name": "n"}}));
    links.push(link(&format!("n{}.output", length - 1), "out.value"));
    json!({"nodes": nodes, "links": links})
}

fn calling(block: &str) -> Value {
    json!({"nodes": [{"id": "inner", "block": block}]})
}

#[test]
fn ten_thousand_nodes_are_run_and_twice_the_limit_is_refused() {
    let place = place();
    added(&place, "long", &chain(10_000));
    assert_eq!(place.json(&["run", "long", "--arg", "n=7"])["output"], json!({"n": 7}));
    refused(&place, "longer", &chain(40_000), "the graph has 40002 nodes, more than the 20000 it may have");
}

#[test]
fn a_cycle_that_never_ends_is_ended_by_its_budget() {
    let place = place();
    let mut cycle = json!({
        "nodes": [{"id": "start", "block": "@store", "input": {"input": 0}}, {"id": "more", "block": "add_one"}],
        "links": [link("start.output", "more.n"), link("more.output", "more.n")],
    });
    refused(&place, "cycle", &cycle, "node `more`: there is a cycle through `more`; set `budget`");
    cycle["budget"] = json!(50);
    added(&place, "cycle", &cycle);
    let said = place.run(&["run", "cycle"]);
    assert!(
        said.contains("the budget of 50 node executions was used up; raise `budget` or end the cycle"),
        "{said}"
    );
}

#[test]
fn a_value_of_fifty_megabytes_fails_its_node() {
    let place = place();
    added(
        &place,
        "heavy",
        &json!({
            "nodes": [{"id": "gives", "block": "large", "input": {"n": 50_000_000}}, {"id": "takes", "block": "@store"}],
            "links": [link("gives.output", "takes.input")],
        }),
    );
    let said = place.run(&["run", "heavy"]);
    assert!(said.contains("node `gives`: selfmade.NotCarried: the result takes 50000015 bytes"), "{said}");
    assert!(said.contains("return less, or store it and return where it is"), "{said}");
}

#[test]
fn what_a_graph_needs_stays_and_fits() {
    let place = place();
    let mut graph = calling("add_one");
    graph["nodes"][0]["input"] = json!({"n": 1});
    added(&place, "uses", &graph);
    let said = place.run(&["fn", "rm", "add_one"]);
    assert!(!said.starts_with("exit: 0") && said.contains("`uses` depends on it"), "{said}");
    let wrong = json!({
        "nodes": [{"id": "gives", "block": "add_one", "input": {"n": 1}}, {"id": "takes", "block": "first"}],
        "links": [link("gives.output", "takes.items")],
    });
    refused(
        &place,
        "wrong",
        &wrong,
        "node `takes`, pin `items`: takes `array`, but node `gives` gives `integer` on `output`",
    );
}

#[test]
fn a_graph_that_contains_itself_is_refused_and_one_that_calls_itself_ends() {
    let place = place();
    refused(
        &place,
        "itself",
        &calling("itself"),
        "node `inner`: the graph would contain itself, by way of `itself`",
    );
    added(&place, "inner", &json!({"nodes": [{"id": "a", "block": "@store", "input": {"input": 1}}]}));
    added(&place, "outer", &calling("inner"));
    let before = place.json(&["graph", "show", "inner"]);
    let said = add(&place, "inner", &calling("outer"));
    assert!(said.contains("by way of `outer` → `inner`"), "{said}");
    assert_eq!(place.json(&["graph", "show", "inner"]), before);
    // Which graph a value names is known when it is run.
    added(
        &place,
        "named",
        &json!({
            "nodes": [{"id": "name", "block": "@store", "input": {"input": "named"}}, {"id": "call", "block": "@call"}],
            "links": [link("name.output", "call.graph")],
        }),
    );
    let said = place.run(&["run", "named"]);
    assert!(said.contains("runs are nested 16 levels deep already"), "{said}");
}

#[test]
fn files_of_other_products_are_refused_with_what_they_lack() {
    let place = place();
    for (name, file, why) in [
        (
            "n8n",
            json!({"nodes": [{"id": "1", "type": "n8n-nodes-base.start"}], "connections": {}}),
            "neither `block` nor `block_id`",
        ),
        ("flow", json!([{"id": "1", "type": "tab"}]), "it is not an object"),
        ("prompt", json!({"3": {"class_type": "KSampler", "inputs": {}}}), "it has `3`"),
    ] {
        place.file("other.json", file.to_string());
        let said = place.run(&["graph", "import", "other.json", "--name", name]);
        assert!(!said.starts_with("exit: 0") && said.contains(why), "{said}");
    }
    assert_eq!(place.json(&["graph", "list"])["graphs"], json!([]));
}
