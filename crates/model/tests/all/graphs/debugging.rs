//! Breakpoints, resuming, and running a selection.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use insta::assert_snapshot;
use selfmade_model::graph::scheduler::{
    Action, Breakpoints, ExecutionId, Happened, Impossible, LinkIndex, Start, State, SuppliedValue,
};
use selfmade_model::graph::{Node, Values, values};
use serde_json::json;

use super::engine::Engine;
use super::{graph, list, output, plan};

#[test]
fn a_breakpoint_holds_an_execution_and_its_input_can_be_changed() {
    let content = graph(vec![Node::new("a", "echo").with("x", 1), output("out")], &["a.output -> out.value"]);
    let plan = plan(&content);
    let node = plan.node("a").unwrap();
    let breakpoints = Breakpoints { nodes: BTreeSet::from([node]), ..Breakpoints::default() };
    let (mut state, actions) = State::start_with(&plan, Start { breakpoints, ..Start::default() }).unwrap();
    let execution = ExecutionId { node, number: 1 };
    assert_eq!(actions, [Action::Hold { execution, input: values(json!({"x": 1})) }]);
    assert_eq!((state.under_way(&plan).len(), state.held(&plan).len()), (0, 1));
    let input = values(json!({"x": "changed"}));
    let released = Happened::Released { execution, input: Some(input.clone()) };
    assert_eq!(state.apply(&plan, released.clone()), Ok(vec![Action::Execute { execution, input }]));
    assert!(matches!(state.apply(&plan, released), Err(Impossible::NotHeld { .. })));
}

#[test]
fn a_breakpoint_on_a_link_holds_values_in_order() {
    let content = graph(vec![list("a", json!([1, 2, 3])), Node::new("b", "echo")], &["a.item -> b.x"]);
    let plan = plan(&content);
    let link = LinkIndex(0);
    let mut engine = Engine::start(&content, &plan, &Values::new());
    let breakpoints = Breakpoints { links: BTreeSet::from([link]), ..Breakpoints::default() };
    engine.apply(Happened::Breakpoints(breakpoints));
    assert_eq!(engine.drain([]).outcome, None, "a held value keeps the run open");
    engine.apply(Happened::LinkReleased { link, value: Some(Arc::new(json!(null))) });
    engine.drain([]);
    engine.apply(Happened::Breakpoints(Breakpoints::default()));
    engine.apply(Happened::LinkReleased { link, value: None });
    let log = engine.drain([]);
    assert_eq!(log.inputs("b"), [json!({"x": null}), json!({"x": 2}), json!({"x": 3})]);
    assert!(log.outcome.is_some());
}

#[test]
fn a_failed_run_goes_on_where_it_failed_on_another_version() {
    let mut content = graph(
        vec![
            list("a", json!([1, 2, 3])),
            Node::new("odd", "odd"),
            Node::new("all", "@collect"),
            output("out"),
        ],
        &["a.item -> odd.x", "odd.output -> all.item", "all.output -> out.value"],
    );
    let old = plan(&content);
    let mut engine = Engine::start(&content, &old, &Values::new());
    assert_eq!(engine.drain([]).outcome.as_ref().unwrap().failed, 1);
    let mut state = engine.state.clone();
    content.nodes[1] = Node::new("odd", "echo");
    let new = plan(&content);
    let actions = state.apply(&new, Happened::Resumed).unwrap();
    let execution = ExecutionId { node: new.node("odd").unwrap(), number: 2 };
    assert_eq!(actions, [Action::Execute { execution, input: values(json!({"x": 2})) }]);
    state
        .apply(&new, Happened::Emitted { execution, index: 0, pin: "output".into(), value: json!(2).into() })
        .unwrap();
    let actions = state.apply(&new, Happened::Finished { execution }).unwrap();
    let Action::Execute { input, .. } = &actions[0] else { panic!("{actions:?}") };
    assert_eq!(*input["items"], json!([1, 3, 2]));
}

#[test]
fn a_selection_runs_with_given_values_alone() {
    let content = graph(
        vec![list("a", json!([1])), Node::new("b", "echo"), Node::new("c", "echo"), Node::new("d", "echo")],
        &["a.item -> b.x", "b.output -> c.x", "a.item -> d.x"],
    );
    let first = plan(&content);
    let from_b = first.downstream(first.node("b").unwrap());
    assert_eq!(from_b, HashSet::from(["b", "c"].map(|id| first.node(id).unwrap())));
    let plan = plan(&content).only(&from_b);
    let given = |pin: &str| SuppliedValue {
        node: plan.node("b").unwrap(),
        pin: pin.to_owned(),
        value: json!(7).into(),
        is_static: false,
    };
    let (state, actions) =
        State::start_with(&plan, Start { given: vec![given("x")], ..Start::default() }).unwrap();
    assert_eq!((actions.len(), state.under_way(&plan).len()), (1, 1));
    let refused =
        State::start_with(&plan, Start { given: vec![given("y")], ..Start::default() }).unwrap_err();
    assert_snapshot!(refused, @"no link leads to pin `y` of node `b`, so no value can be given there; set a constant");
}
