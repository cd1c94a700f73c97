//! What is told when a graph is saved.

use std::sync::Arc;

use insta::assert_snapshot;
use selfmade_model::graph::block::BlockSignature;
use selfmade_model::graph::check::Problem;
use selfmade_model::graph::{Blocks, GraphContent, Link, Missing, Node, check};
use selfmade_model::name::EntryName;
use selfmade_model::version::VersionNumber;
use serde_json::json;

use super::{Library, graph};

fn told(content: &GraphContent) -> String {
    let line = |problem: &Problem| {
        let code = serde_json::to_value(problem.code).unwrap();
        format!("{} {problem}", code.as_str().unwrap())
    };
    check(content, None, &Library).iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_good_graph_has_no_problems() {
    let content = graph(
        vec![
            Node::new("in", "@input").with("name", "n").with("schema", json!({"type": "integer"})),
            Node::new("sum", "add").with("b", 1),
            Node::new("out", "@output").with("name", "sum"),
        ],
        &["in.output -> sum.a", "sum.output -> out.value"],
    );
    assert_eq!(told(&content), "");
}

#[test]
fn all_problems_are_reported_at_once_with_node_and_pin() {
    let mut content = graph(
        vec![
            Node::new("a", "ecko"),
            Node::new("b", "nothing.like.it"),
            Node { version: Some(VersionNumber(9)), ..Node::new("c", "echo") },
            Node::new("d", "@conditon"),
            Node::new("e", "add").with("a", "x").with("c", 1),
            Node::new("e", "echo").with("x", 1),
            Node::new("f", "text"),
            Node::new("g", "@input"),
        ],
        &["f.put -> e.a", "e.output -> f.x", "e.output -> f.x", "e.output -> gg.x", "g.output -> f.x_$_-1"],
    );
    content.nodes.push(Node::new("h", "add").with("a", 1).with("b", 2));
    content.nodes.push(Node::new("i", "add").with("a", 1));
    content.links.push(super::link("h.output -> g.name"));
    content.links.push(super::link("h.output[0] -> e.b"));
    assert_snapshot!(told(&content), @"
    duplicate_node node `e`: two nodes have this id; give each its own
    duplicate_link node `f`, pin `x`: the link `e`.`output` → `f`.`x` is there twice; remove one
    unknown_block node `a`: no function or graph is named `ecko`; did you mean `echo`?
    unknown_block node `b`: no function or graph is named `nothing.like.it`; add it before, or in the same changeset
    unknown_version node `c`: `echo` has no version 9; name one that it has, or leave the version out
    unknown_block node `d`: `@conditon` is not a built-in block; did you mean `@condition`?
    unknown_pin node `e`, pin `c`: the block has no input pin `c`; its input pins are `a` and `b`
    unknown_pin node `f`, pin `put`: the block has no output pin `put`; its output pins are `output` and `error`
    link_to_nowhere node `gg`, pin `x`: a link names the node `gg`, which the graph does not have; add the node or remove the link
    bad_pin node `f`, pin `x_$_-1`: an element at -1 cannot be given to a pin; count from 0 to 9999
    constant_pin node `g`, pin `name`: `name` decides what the block is, so it cannot be linked; give it a constant
    wrong_constant node `e`, pin `a`: `a` must be an integer, not the string `x`
    missing_input node `i`, pin `b`: is required; link it or give it a constant
    cannot_fit node `f`, pin `x`: takes `string`, but node `e` gives `integer` on `output`; link another pin or convert the value
    cannot_fit node `f`, pin `x`: takes `string`, but node `e` gives `integer` on `output`; link another pin or convert the value
    cannot_fit node `h`, pin `output[0]`: `output` is `integer`, which has no such part; link the whole pin
    ");
}

#[test]
fn schemas_that_cannot_fit_are_refused_and_those_that_may_are_not() {
    let nodes = || {
        vec![
            Node::new("sum", "add").with("a", 1).with("b", 2),
            Node::new("any", "echo").with("x", 1),
            Node::new("text", "text"),
            Node::new("more", "text"),
        ]
    };
    assert_snapshot!(told(&graph(nodes(), &["sum.output -> text.x", "any.output -> more.x"])), @"cannot_fit node `text`, pin `x`: takes `string`, but node `sum` gives `integer` on `output`; link another pin or convert the value");
}

#[test]
fn constants_are_checked_as_what_they_make_together() {
    let good = Node::new("v", "values").with("values_#_a", 1).with("values.b[0]", 2);
    assert_eq!(told(&graph(vec![good], &[])), "");
    let bad =
        Node::new("v", "values").with("values_$_0", 1).with("values_#_k", 1).with("format", json!(null));
    assert_snapshot!(told(&graph(vec![bad], &[])), @"
    pin_conflict node `v`, pin `values_#_k`: makes a list of what `values_$_0` makes an object, or the other way; use one kind
    wrong_constant node `v`, pin `format`: `format` must be a string, not null
    ");
}

#[test]
fn constants_on_linked_pins_are_ignored_whatever_they_are() {
    let nodes = vec![
        Node::new("a", "echo").with("x", 1),
        Node::new("v", "values").with("values", "no object").with("values_#_k", 1).with("format", 5),
    ];
    assert_eq!(
        told(&graph(nodes, &["a.output -> v.values", "a.output -> v.values_#_k", "a.output -> v.format"])),
        ""
    );
}

#[test]
fn there_must_be_something_to_start_with_and_a_cycle_needs_a_budget() {
    let mut content = graph(
        vec![Node::new("a", "echo"), Node::new("b", "echo"), Node::new("c", "@collect")],
        &["a.output -> b.x", "b.output -> a.x", "c.output -> c.item"],
    );
    assert_snapshot!(told(&content), @r"
    cycle_without_budget node `a`: there is a cycle through `a` and `b`; set `budget` to how many node executions a run may have
    cycle_without_budget node `c`: there is a cycle through `c`; set `budget` to how many node executions a run may have
    collect_in_cycle node `c`: waits for the end of a cycle that it is part of; put what goes round in a graph of its own
    nothing_to_start there is no node to start with; add an `@input`, or a node whose pins are not linked
    ");
    content.budget = Some(5);
    content.nodes.push(Node::new("d", "echo").with("x", 1));
    assert_snapshot!(told(&content), @r"
    collect_in_cycle node `c`: waits for the end of a cycle that it is part of; put what goes round in a graph of its own
    never_starts node `a`, pin `x`: never gets a value, so the node never runs; link it to a node that runs
    never_starts node `b`, pin `x`: never gets a value, so the node never runs; link it to a node that runs
    ");
    assert_snapshot!(told(&GraphContent::default()), @"nothing_to_start there is no node to start with; add an `@input`, or a node whose pins are not linked");
}

#[test]
fn what_is_behind_a_placeholder_is_a_warning() {
    let content = graph(
        vec![Node::new("a", "@placeholder"), Node::new("b", "echo"), Node::new("c", "echo").with("x", 1)],
        &["a.any pin -> b.x"],
    );
    assert_snapshot!(told(&content), @"never_starts node `b`, pin `x`: never gets a value, so the node never runs; link it to a node that runs");
    assert!(check(&content, None, &Library).iter().all(|problem| !problem.is_error()));
}

struct Nested;

impl Blocks for Nested {
    fn signature(&self, name: &str, version: Option<VersionNumber>) -> Result<Arc<BlockSignature>, Missing> {
        let graph = self.graph(name, version).ok_or(Missing::Name)?;
        Ok(Arc::new(BlockSignature::of_graph(&graph)))
    }

    fn graph(&self, name: &str, _: Option<VersionNumber>) -> Option<Arc<GraphContent>> {
        let node = match name {
            "inner" => Node::new("x", "outer"),
            "outer" => Node::new("x", "@call").with("graph", "top"),
            "loop" => Node::new("x", "loop"),
            "top" => Node::new("x", "@note"),
            _ => return None,
        };
        Some(Arc::new(graph(vec![node], &[])))
    }
}

#[test]
fn a_graph_that_contains_itself_is_refused_with_the_way() {
    let content = graph(vec![Node::new("a", "inner"), Node::new("b", "loop"), Node::new("c", "top")], &[]);
    let name = EntryName::new("top").unwrap();
    let problems: Vec<String> =
        check(&content, Some(&name), &Nested).iter().map(ToString::to_string).collect();
    assert_snapshot!(problems.join("\n"), @r"
    node `a`: the graph would contain itself, by way of `inner` → `outer` → `top`; call another
    node `c`: the graph would contain itself, by way of `top`; call another
    ");
}

#[test]
fn ten_thousand_nodes_are_checked_and_more_than_allowed_are_refused() {
    let nodes: Vec<Node> = (0..10_000).map(|at| Node::new(&format!("n{at}"), "echo")).collect();
    let link = |at: usize| Link::new(&format!("n{}", at - 1), "output", &format!("n{at}"), "x");
    let mut content =
        GraphContent { nodes, links: (1..10_000).map(link).collect(), ..GraphContent::default() };
    content.nodes[0] = Node::new("n0", "echo").with("x", 1);
    assert_eq!(told(&content), "");
    content.nodes = vec![Node::new("n", "echo"); 20_001];
    assert_snapshot!(told(&content), @"too_large the graph has 20001 nodes, more than the 20000 it may have; put parts of it in graphs of their own");
}
