//! The functions and graphs that are run.

use model::content::Content;
use model::function::FunctionDraft;
use model::graph::{GraphContent, Link, Node};
use model::name::EntryName;
use serde_json::json;
use server::app::changesets::drafts::Intent;

/// As many steps as the published comparison of workflow engines has.
pub(super) const CHAIN: usize = 40;
/// How many nodes are executed for each item of a list. The executions of one node come one after the other.
pub(super) const WIDE: usize = 4;

const FIB: &str = "def NAME(after: int = 0) -> int:\n    def number(n):\n        return n if n < 2 else number(n - 1) + number(n - 2)\n    \
                   return number(10)\n";

/// Gives values of about a hundred bytes.
const COUNT: &str =
    "def count(most: int):\n    for n in range(most):\n        yield {\"n\": n, \"text\": \"x\" * 80}\n";

pub(super) fn all(checked: usize) -> anyhow::Result<Vec<Intent>> {
    let mut intents = vec![Intent::function(fib("fib")), Intent::function(FunctionDraft::of_source(COUNT))];
    let names: Vec<String> = (0..CHAIN).map(|n| format!("fib_{n}")).collect();
    intents.extend(names.iter().map(|name| Intent::function(fib(name))));
    for (name, graph) in [
        ("chain", chain(&["fib".to_owned()], CHAIN)),
        ("chain_of_different", chain(&names, CHAIN)),
        ("builtin", each("@store", "input")),
        ("python", each("fib", "after")),
        ("values", values()),
        ("checked", chain(&names, checked)),
    ] {
        intents.push(Intent::Put(EntryName::new(name)?, Content::Graph(graph)));
    }
    Ok(intents)
}

/// Nodes one after the other, which call these functions in turn.
pub(super) fn chain(functions: &[String], length: usize) -> GraphContent {
    let nodes = (0..length).map(|n| Node::new(&format!("n{n}"), &functions[n % functions.len()]));
    let links = (1..length).map(|n| link(&format!("n{}", n - 1), "output", &format!("n{n}"), "after"));
    let mut graph =
        GraphContent { nodes: nodes.collect(), links: links.collect(), ..GraphContent::default() };
    give(&mut graph, &format!("n{}", length - 1), "output");
    graph
}

/// Nodes that are executed once for each item of a list.
fn each(block: &str, pin: &str) -> GraphContent {
    let mut graph = GraphContent {
        nodes: vec![
            Node::new("in", "@input").with("name", "items").with("schema", json!({"type": "array"})),
            Node::new("each", "@iterate"),
        ],
        links: vec![link("in", "output", "each", "items")],
        ..GraphContent::default()
    };
    for name in (0..WIDE).map(|n| format!("node{n}")) {
        graph.links.push(link("each", "item", &name, pin));
        graph.nodes.push(Node::new(&name, block));
    }
    graph
}

/// A function that yields, and a node that takes each value.
fn values() -> GraphContent {
    let mut graph = GraphContent {
        nodes: vec![
            Node::new("in", "@input").with("name", "most").with("schema", json!({"type": "integer"})),
            Node::new("count", "count"),
            Node::new("node", "@store"),
        ],
        links: vec![link("in", "output", "count", "most"), link("count", "output", "node", "input")],
        ..GraphContent::default()
    };
    give(&mut graph, "node", "output");
    graph
}

fn give(graph: &mut GraphContent, node: &str, pin: &str) {
    graph.nodes.push(Node::new("out", "@output").with("name", "out"));
    graph.links.push(link(node, pin, "out", "value"));
}

fn fib(name: &str) -> FunctionDraft {
    FunctionDraft::of_source(FIB.replace("NAME", name))
}

fn link(from: &str, from_pin: &str, to: &str, to_pin: &str) -> Link {
    Link::new(from, from_pin, to, to_pin)
}
