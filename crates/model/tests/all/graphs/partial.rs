//! Runs of only some nodes: what they execute is what the whole run executes of them, wherever their values come from.

use std::collections::{BTreeMap, BTreeSet};

use insta::assert_snapshot;
use proptest::prelude::*;
use proptest::sample::Index;
use selfmade_model::graph::run_options::GraphOptions;
use selfmade_model::graph::scheduler::{NodeOutputs, Plan, RecordedOutputs, State};
use selfmade_model::graph::{GraphContent, Node, Values, values};
use serde_json::{Value, json};

use super::engine::{Engine, Log};
use super::properties::any_graph;
use super::{graph, plan};

/// What each node gave in a run of the whole graph.
fn recorded(content: &GraphContent, plan: &Plan, input: &Values) -> (Log, BTreeMap<String, NodeOutputs>) {
    let mut engine = Engine::start(content, plan, input);
    let log = engine.drain([]).clone();
    let nodes = content.nodes.iter().map(|node| node.id.clone()).collect();
    let mut recorded = RecordedOutputs::of(nodes);
    let (mut state, _) = State::start(plan, input.clone());
    for happened in engine.journal {
        recorded.apply(plan, &mut state, happened).unwrap();
    }
    (log, recorded.outputs)
}

fn run(content: &GraphContent, options: Value, input: Value) -> Result<Log, String> {
    let options: GraphOptions = serde_json::from_value(options).unwrap();
    run_with(content, &options, &values(input), [])
}

fn run_with(
    content: &GraphContent,
    options: &GraphOptions,
    input: &Values,
    order: impl IntoIterator<Item = usize>,
) -> Result<Log, String> {
    let whole = plan(content);
    let (partial, start) = options.start(&whole, input.clone()).map_err(|error| error.to_string())?;
    let partial = partial.unwrap_or(whole);
    Ok(Engine::start_with(content, &partial, start).drain(order).clone())
}

fn executed(log: &Log) -> BTreeSet<&str> {
    log.executions.keys().map(|(node, _)| node.as_str()).collect()
}

/// `in` → `a` → `b` → `out`, and `b` has a constant too.
fn chain() -> GraphContent {
    graph(
        vec![
            Node::new("in", "@input").with("name", "n"),
            Node::new("a", "echo"),
            Node::new("b", "add").with("b", 10),
            Node::new("out", "@output").with("name", "sum"),
        ],
        &["in.output -> a.x", "a.output -> b.a", "b.output -> out.value"],
    )
}

#[test]
fn one_node_runs_with_the_input_that_is_given() {
    let log = run(&chain(), json!({"only": ["b"], "input": {"b": {"a": 1}}}), json!({})).unwrap();
    assert_eq!((executed(&log), log.inputs("b")), (BTreeSet::from(["b"]), vec![json!({"a": 1, "b": 10})]));
    let log = run(&chain(), json!({"only": ["b"], "input": {"b": {"a": 1, "b": 2}}}), json!({})).unwrap();
    assert_eq!(log.inputs("b"), [json!({"a": 1, "b": 2})], "also instead of a constant");
    assert_eq!(log.outcome.unwrap().state, selfmade_model::graph::scheduler::EndState::Succeeded);
}

#[test]
fn a_run_from_a_node_executes_what_is_downstream() {
    let recorded = json!({"a": {"output": [5]}});
    let log = run(&chain(), json!({"from": ["b"], "recorded": recorded}), json!({})).unwrap();
    assert_eq!((executed(&log), log.output("sum")), (BTreeSet::from(["b", "out"]), json!([15])));
}

#[test]
fn a_pinned_node_that_is_not_executed_gives_its_values() {
    let options = json!({"from": ["b"], "pinned": {"a": {"output": [1, 2]}}});
    let log = run(&chain(), options, json!({})).unwrap();
    assert_eq!(log.output("sum"), json!([11, 12]));
}

#[test]
fn inputs_of_the_graph_that_are_needed_come_along() {
    let log = run(&chain(), json!({"only": ["a"]}), json!({"n": 3})).unwrap();
    assert_eq!((executed(&log), log.inputs("a")), (BTreeSet::from(["a", "in"]), vec![json!({"x": 3})]));
}

#[test]
fn what_is_missing_is_reported_with_node_and_pin() {
    let refused = |options: Value| run(&chain(), options, json!({})).unwrap_err();
    assert_snapshot!(refused(json!({"only": ["b"]})), @"pin `a` of node `b` gets its values from node `a`, which is not executed and of which no values are known");
    assert_snapshot!(refused(json!({"from": ["a"]})), @"node `a` needs the input `n` of the graph");
    assert_snapshot!(refused(json!({"only": ["in"]})), @"node `in` needs the input `n` of the graph");
    assert_snapshot!(refused(json!({"only": ["b"], "recorded": {"a": {}}})), @"pin `a` of node `b` got no value in the earlier run");
    assert_snapshot!(refused(json!({"only": ["outt"]})), @"the graph has no node `outt`; did you mean `out`?");
    assert_snapshot!(refused(json!({"only": ["a"], "from": ["b"]})), @"`only` and `from` cannot be combined");
    assert_snapshot!(refused(json!({"input": {"a": {"x": 1}}})), @"`input` is for runs of some nodes only, and neither `only` nor `from` is stated");
    assert_snapshot!(refused(json!({"only": ["a"], "input": {"b": {"a": 1}}})), @"node `b` is not executed in this run, so it takes no input");
    assert_snapshot!(refused(json!({"only": ["b"], "input": {"b": {"c": 1}}})), @"node `b` has no input pin `c`");
    assert_snapshot!(refused(json!({"only": ["b"], "input": {"b": {"a": "text"}}})), @"pin `a` of node `b`: `a` must be an integer, not the string `text`");
    let mut bare = chain();
    bare.nodes[2].input.clear();
    let error = run(&bare, json!({"only": ["b"], "input": {"b": {"a": 1}}}), json!({})).unwrap_err();
    assert_snapshot!(error, @"pin `b` of node `b` is required, and has neither a link nor a constant");
}

#[test]
fn parts_of_a_pin_are_given_each_by_itself() {
    let content = graph(
        vec![Node::new("a", "echo").with("x", 1), Node::new("v", "values")],
        &["a.output -> v.values_#_k"],
    );
    let refused = run(&content, json!({"only": ["v"], "input": {"v": {"values": {"k": 1}}}}), json!({}));
    assert_snapshot!(refused.unwrap_err(), @"parts of pin `values` of node `v` are linked; give a value to each of these: `values_#_k`");
    let log = run(&content, json!({"only": ["v"], "input": {"v": {"values.k": 1}}}), json!({})).unwrap();
    assert_eq!(log.inputs("v"), [json!({"values": {"k": 1}})]);
}

#[test]
fn a_given_value_is_used_for_every_execution() {
    let content = graph(
        vec![
            Node::new("list", "split").with("items", json!([1, 2, 3])),
            Node::new("one", "echo").with("x", 0),
            Node::new("sum", "add"),
        ],
        &["list.item -> sum.a", "one.output -> sum.b"],
    );
    let options = json!({"only": ["list", "sum"], "input": {"sum": {"b": 9}}});
    let log = run(&content, options, json!({})).unwrap();
    assert_eq!(log.inputs("sum"), [1, 2, 3].map(|a| json!({"a": a, "b": 9})));
}

#[test]
fn who_collects_does_not_wait_for_what_is_left_out() {
    let content = graph(
        vec![
            Node::new("missing", "@placeholder"),
            Node::new("a", "echo"),
            Node::new("first", "@collect"),
            Node::new("second", "@collect"),
        ],
        &["missing.y -> a.x", "a.output -> first.item", "first.output -> second.item"],
    );
    let recorded = json!({"a": {"output": [1, 2]}, "first": {"output": [[1], [2]]}});
    let log = run(&content, json!({"only": ["second"], "recorded": recorded}), json!({})).unwrap();
    assert_eq!(log.inputs("second"), [json!({"items": [[1], [2]]})]);
    let log = run(&content, json!({"only": ["first", "second"], "recorded": recorded}), json!({})).unwrap();
    assert_eq!(log.inputs("second"), [json!({"items": [[1, 2]]})]);
}

/// The executions of these nodes.
fn of(log: &Log, nodes: &BTreeSet<String>) -> BTreeMap<(String, u32), Value> {
    let mut executions = log.executions.clone();
    executions.retain(|(node, _), _| nodes.contains(node));
    executions
}

proptest! {
    #[test]
    fn any_selection_executes_what_the_whole_run_executed_of_it(
        content in any_graph(),
        chosen in prop::collection::vec(any::<Index>(), 1..5),
        order in prop::collection::vec(any::<usize>(), 0..100),
    ) {
        let plan = plan(&content);
        let (whole, recorded) = recorded(&content, &plan, &Values::new());
        let only: BTreeSet<String> = chosen.iter().map(|at| at.get(&content.nodes).id.clone()).collect();
        let options = GraphOptions { only: only.clone(), recorded, ..GraphOptions::default() };
        let is_alone = only.len() == 1;
        match run_with(&content, &options, &Values::new(), order) {
            Ok(log) => {
                prop_assert_eq!(of(&log, &only), of(&whole, &only));
                prop_assert_eq!(log.executions.len(), of(&log, &only).len(), "nothing else is executed");
            }
            Err(error) => {
                // Only what did not run either, because nothing came.
                let is_known = error.contains("got no value") || error.contains("no values are known");
                prop_assert!(is_known, "{}", error);
                prop_assert!(!is_alone || of(&whole, &only).is_empty(), "{}", error);
            }
        }
    }

    #[test]
    fn any_run_from_a_node_executes_what_the_whole_run_executed_downstream_of_it(
        content in any_graph(),
        first in any::<Index>(),
        order in prop::collection::vec(any::<usize>(), 0..100),
    ) {
        let plan = plan(&content);
        let (whole, recorded) = recorded(&content, &plan, &Values::new());
        let first = &first.get(&content.nodes).id;
        let downstream = plan.downstream(plan.node(first).unwrap());
        let downstream: BTreeSet<String> =
            downstream.into_iter().map(|node| plan.node_id(node).to_owned()).collect();
        let options =
            GraphOptions { from: [first.clone()].into(), recorded, ..GraphOptions::default() };
        if let Ok(log) = run_with(&content, &options, &Values::new(), order) {
            prop_assert_eq!(of(&log, &downstream), of(&whole, &downstream));
            prop_assert_eq!(log.executions.len(), of(&log, &downstream).len());
        }
    }

    /// Without an earlier run, it is the links from outside that decide whether it can be done.
    #[test]
    fn whatever_cannot_be_known_is_asked_for(
        content in any_graph(),
        chosen in prop::collection::vec(any::<Index>(), 1..5),
    ) {
        let only: BTreeSet<String> = chosen.iter().map(|at| at.get(&content.nodes).id.clone()).collect();
        let comes_in = |link: &&selfmade_model::graph::Link| {
            only.contains(&link.to) && !only.contains(&link.from) && link.from_pin != "error"
        };
        let incoming = content.links.iter().filter(comes_in).count();
        let options = GraphOptions { only: only.clone(), ..GraphOptions::default() };
        let sources = options.sources(&plan(&content), &Values::new()).unwrap();
        let refused = run_with(&content, &options, &Values::new(), []).err();
        let is_missing = refused.as_ref().is_some_and(|error| error.contains("no values are known"));
        prop_assert_eq!(is_missing, incoming > 0, "{:?}", refused);
        prop_assert!(incoming == 0 || !sources.is_empty());
    }
}
