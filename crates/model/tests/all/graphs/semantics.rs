//! How graphs run, case by case. Most are mistakes that the server of 2024 made.

use std::sync::Arc;

use insta::assert_snapshot;
use selfmade_model::graph::scheduler::{Action, EndState, ExecutionId, Happened, Impossible, State};
use selfmade_model::graph::{GraphContent, Node, Values};
use serde_json::{Value, json};

use super::engine::{Engine, run};
use super::{graph, list, output, plan};

#[test]
fn values_of_two_pins_are_zipped_in_order() {
    let content = graph(
        vec![
            list("a", json!([1, 2, 3])),
            list("b", json!([10, 20, 30])),
            Node::new("sum", "add"),
            output("out"),
        ],
        &["a.item -> sum.a", "b.item -> sum.b", "sum.output -> out.value"],
    );
    let log = run(&content, json!({}));
    assert_eq!(log.output("out"), json!([11, 22, 33]));
    assert_eq!(log.outcome.unwrap().executions, 2 + 3 + 3);
}

#[test]
fn a_linked_pin_is_waited_for_and_its_constant_ignored() {
    let content = graph(
        vec![
            Node::new("a", "echo").with("x", 1),
            Node::new("b", "echo").with("x", 2),
            Node::new("sum", "add").with("a", 100).with("b", "not even a number"),
        ],
        &["a.output -> sum.a", "b.output -> sum.b"],
    );
    assert_eq!(run(&content, json!({})).inputs("sum"), [json!({"a": 1, "b": 2})]);
}

#[test]
fn one_late_static_value_completes_three_waiting_executions() {
    let content = graph(
        vec![
            list("a", json!([4, 4, 4])),
            Node::new("five", "echo").with("x", 5),
            Node::new("sum", "add"),
            output("out"),
        ],
        &["a.item -> sum.a", "five.output => sum.b", "sum.output -> out.value"],
    );
    let plan = plan(&content);
    let mut engine = Engine::start(&content, &plan, &Values::new());
    for _ in 0..4 {
        engine.step_node("a");
    }
    assert_eq!(engine.state.waiting(&plan, plan.node("sum").unwrap(), "a"), 3);
    assert_eq!(engine.drain([]).output("out"), json!([9, 9, 9]));
}

#[test]
fn a_newer_static_value_takes_the_place_of_the_older() {
    let content = graph(
        vec![list("a", json!([1, 2, 3])), list("b", json!([10, 20])), Node::new("sum", "add")],
        &["a.item -> sum.a", "b.item => sum.b"],
    );
    let sums = run(&content, json!({})).inputs("sum");
    assert_eq!(sums, [json!({"a": 1, "b": 10}), json!({"a": 2, "b": 20}), json!({"a": 3, "b": 20})]);
}

#[test]
fn a_static_value_alone_starts_nothing_again() {
    let content = graph(
        vec![Node::new("a", "echo").with("x", 1), list("b", json!([10, 20])), Node::new("sum", "add")],
        &["a.output -> sum.a", "b.item => sum.b"],
    );
    assert_eq!(run(&content, json!({})).inputs("sum").len(), 1);
}

#[test]
fn null_zero_empty_and_false_travel() {
    let content = graph(
        vec![list("a", json!([null, 0, "", false, [], {}])), Node::new("b", "@store"), output("out")],
        &["a.item -> b.input", "b.output -> out.value"],
    );
    assert_eq!(run(&content, json!({})).output("out"), json!([null, 0, "", false, [], {}]));
}

#[test]
fn a_wrong_type_is_an_error_that_names_node_and_pin() {
    let content = graph(
        vec![list("a", json!([1, "x", 3])), Node::new("sum", "add").with("b", 1), output("out")],
        &["a.item -> sum.a", "sum.output -> out.value"],
    );
    let log = run(&content, json!({}));
    assert_eq!(log.output("out"), json!([2, 4]), "what fits goes on");
    assert_snapshot!(log.end(), @"node `sum`, pin `a`: `a` must be an integer, not the string `x`");
}

#[test]
fn a_value_that_does_not_fit_its_output_fails_the_execution_that_gave_it() {
    let content = graph(vec![Node::new("a", "lies").with("x", 1), output("out")], &["a.output -> out.value"]);
    let plan = plan(&content);
    let (mut state, _) = State::start(&plan, Values::new());
    let execution = ExecutionId { node: plan.node("a").unwrap(), number: 1 };
    let emitted =
        Happened::Emitted { execution, index: 0, pin: "output".into(), value: json!("text").into() };
    let actions = state.apply(&plan, emitted).unwrap();
    assert!(matches!(&actions[0], Action::Reject { execution: rejected, .. } if *rejected == execution));
    let Action::Finish(outcome) = &actions[1] else { panic!("{actions:?}") };
    assert_snapshot!(outcome, @"node `a`, pin `output`: `output` must be an integer, not the string `text`");
    assert_eq!(
        state.apply(&plan, Happened::Finished { execution }),
        Ok(vec![]),
        "what comes late is ignored"
    );
}

#[test]
fn a_pin_that_the_block_does_not_have_is_an_error() {
    let content = graph(vec![Node::new("a", "echo").with("x", 1)], &[]);
    let plan = plan(&content);
    let (mut state, _) = State::start(&plan, Values::new());
    let execution = ExecutionId { node: plan.node("a").unwrap(), number: 1 };
    let emitted = Happened::Emitted { execution, index: 0, pin: "put".into(), value: json!(1).into() };
    state.apply(&plan, emitted).unwrap();
    assert_snapshot!(state.outcome().unwrap(), @"node `a`, pin `put`: the block gave a value on `put`, but its output pins are `output`, `error`");
}

#[test]
fn a_raised_error_leaves_on_a_linked_error_pin() {
    let content =
        graph(vec![Node::new("a", "fails").with("x", "boom"), output("out")], &["a.error -> out.value"]);
    let log = run(&content, json!({}));
    assert_eq!(log.output("out"), json!(["ValueError: \"boom\""]));
    assert_eq!(log.outcome.unwrap().state, EndState::Succeeded);
}

#[test]
fn an_error_that_nobody_takes_fails_the_run_and_the_rest_goes_on() {
    let content = graph(
        vec![
            list("a", json!([1, 2, 3, 4])),
            Node::new("odd", "odd"),
            Node::new("b", "echo").with("x", 1),
            output("odds"),
            output("other"),
        ],
        &["a.item -> odd.x", "odd.output -> odds.value", "b.output -> other.value"],
    );
    let log = run(&content, json!({}));
    assert_eq!((log.output("odds"), log.output("other")), (json!([1, 3]), json!([1])));
    assert_snapshot!(log.end(), @"node `odd`: ValueError: even; node `odd`: ValueError: even");
    assert_eq!(log.outcome.unwrap().state, EndState::Failed);
}

#[test]
fn downstream_starts_while_the_producer_goes_on() {
    let content = graph(vec![list("a", json!([1, 2])), Node::new("b", "echo")], &["a.item -> b.x"]);
    let plan = plan(&content);
    let mut engine = Engine::start(&content, &plan, &Values::new());
    engine.step_node("a");
    assert_eq!(engine.running(), ["a", "b"]);
}

#[test]
fn a_slow_node_blocks_no_other() {
    let content = graph(
        vec![
            list("a", json!([1, 2, 3])),
            Node::new("slow", "echo"),
            Node::new("fast", "echo"),
            output("out"),
        ],
        &["a.item -> slow.x", "a.item -> fast.x", "fast.output -> out.value"],
    );
    let plan = plan(&content);
    let mut engine = Engine::start(&content, &plan, &Values::new());
    while let Some(at) = engine.running().iter().position(|id| id != "slow") {
        engine.step(at);
    }
    assert_eq!(engine.log.output("out"), json!([1, 2, 3]));
    assert_eq!(engine.log.inputs("slow").len(), 1);
    assert_eq!(engine.drain([]).inputs("slow").len(), 3);
}

#[test]
fn a_block_that_gives_nothing_ends_too() {
    let content = graph(vec![list("a", json!([])), Node::new("b", "echo")], &["a.item -> b.x"]);
    let outcome = run(&content, json!({})).outcome.unwrap();
    assert_eq!(outcome.state, EndState::Succeeded);
    assert_eq!(
        (outcome.never_ran[0].node.as_str(), &outcome.never_ran[0].missing),
        ("b", &vec!["x".to_owned()])
    );
}

#[test]
fn values_that_found_no_partner_are_reported() {
    let content = graph(
        vec![list("a", json!([1, 2, 3])), list("b", json!([1])), Node::new("sum", "add")],
        &["a.item -> sum.a", "b.item -> sum.b"],
    );
    let outcome = run(&content, json!({})).outcome.unwrap();
    assert_eq!(outcome.unused.len(), 1);
    assert_eq!((outcome.unused[0].pin.as_str(), outcome.unused[0].values), ("a", 2));
}

#[test]
fn a_cycle_ends_with_its_budget_and_says_so() {
    let mut content = graph(
        vec![Node::new("seed", "echo").with("x", 0), Node::new("inc", "add").with("b", 1)],
        &["seed.output -> inc.a", "inc.output -> inc.a"],
    );
    content.budget = Some(10);
    let log = run(&content, json!({}));
    assert_eq!(log.inputs("inc").len(), 9);
    assert_snapshot!(log.end(), @"the budget of 10 node executions was used up; raise `budget` or end the cycle");
    assert_eq!(log.outcome.unwrap().state, EndState::Failed);
}

#[test]
fn a_cycle_with_an_exit_ends_by_itself() {
    let mut content = graph(
        vec![
            Node::new("seed", "echo").with("x", 0),
            Node::new("inc", "add").with("b", 1),
            Node::new("more", "@condition").with("operator", "<").with("value2", 5),
            output("out"),
        ],
        &[
            "seed.output -> inc.a",
            "inc.output -> more.value1",
            "more.yes_output -> inc.a",
            "more.no_output -> out.value",
        ],
    );
    content.budget = Some(100);
    let log = run(&content, json!({}));
    assert_eq!(log.output("out"), json!([5]));
    assert_eq!(log.outcome.unwrap().state, EndState::Succeeded);
}

#[test]
fn parts_of_values_are_selected_and_built() {
    let content = graph(
        vec![
            Node::new("a", "echo").with("x", json!([{"k": {"$tuple": [1, "deep"]}}])),
            Node::new("b", "values").with("values_#_c", "!!!").with("values", json!({"stale": 1})),
            output("out"),
        ],
        &[
            "a.output_$_0_#_k_$_1 -> b.values_#_a",
            "a.output[0].k -> b.values.list[1]",
            "b.output -> out.value",
        ],
    );
    let expected = json!({"a": "deep", "c": "!!!", "list": [null, {"$tuple": [1, "deep"]}], "stale": 1});
    assert_eq!(run(&content, json!({})).output("out"), json!([expected]));
}

#[test]
fn a_constant_part_is_written_into_what_arrives() {
    let nodes = |value: Value| {
        vec![
            Node::new("a", "echo").with("x", value),
            Node::new("b", "values").with("values_#_c", "!!!").with("values", 5).with("values_#_d_#_e", 0),
            output("out"),
        ]
    };
    let links = ["a.output -> b.values", "b.output -> out.value"];
    let log = run(&graph(nodes(json!({"a": 1, "c": 2})), &links), json!({}));
    assert_eq!(log.output("out"), json!([{"a": 1, "c": "!!!", "d": {"e": 0}}]));
    let log = run(&graph(nodes(json!("text")), &links), json!({}));
    assert_snapshot!(log.end(), @"node `b`, pin `values_#_c`: `values` is the string `text`, which cannot be given the key `c`");
    let links = ["a.output -> b.values_#_d", "a.output -> b.values_#_c", "b.output -> out.value"];
    let mut content = graph(nodes(json!({})), &links);
    content.nodes[1].input.insert("values".to_owned(), json!({"kept": null}));
    assert_eq!(run(&content, json!({})).output("out"), json!([{"c": {}, "d": {"e": 0}, "kept": null}]));
}

#[test]
fn a_path_that_is_not_in_the_value_is_an_error_and_not_silence() {
    let content = graph(
        vec![Node::new("a", "echo").with("x", json!({"b": 1})), Node::new("b", "echo"), output("out")],
        &["a.output_#_k -> b.x", "a.output -> out.value"],
    );
    let log = run(&content, json!({}));
    assert_snapshot!(log.end(), @"node `b`, pin `x`: cannot take `output_#_k` from node `a`: `output` has no `k`, only `b`");
    assert_eq!(log.output("out"), json!([{"b": 1}]));
}

#[test]
fn inputs_reach_every_node_again_and_again() {
    let content = graph(
        vec![
            Node::new("who", "@input").with("name", "Who is it?").with("schema", json!({"type": "string"})),
            Node::new("n", "@input").with("name", "n").with("value", json!([1, 2])),
            Node::new("each", "@iterate"),
            Node::new("pair", "pair"),
            output("out"),
        ],
        &[
            "n.output -> each.items",
            "each.item -> pair.a",
            "who.output -> pair.b",
            "pair.output -> out.value",
        ],
    );
    assert_eq!(run(&content, json!({"Who is it?": "Ada"})).output("out"), json!([[1, "Ada"], [2, "Ada"]]));
    assert_snapshot!(run(&content, json!({})).end(), @"node `who`, pin `value`: no value was given for the input `Who is it?`");
    assert_snapshot!(run(&content, json!({"Who is it?": 5})).end(), @"node `who`, pin `value`: `value` must be a string, not the number 5");
}

#[test]
fn a_list_is_collected_when_nothing_more_can_come() {
    let content = graph(
        vec![
            list("a", json!([1, 2, 3])),
            Node::new("b", "echo"),
            Node::new("all", "@collect"),
            Node::new("again", "@iterate"),
            Node::new("all2", "@collect"),
            output("out"),
        ],
        &[
            "a.item -> b.x",
            "b.output -> all.item",
            "all.output -> again.items",
            "again.item -> all2.item",
            "all2.output -> out.value",
        ],
    );
    assert_eq!(run(&content, json!({})).output("out"), json!([[1, 2, 3]]));
    let mut empty = content.clone();
    empty.nodes[0] = list("a", json!([]));
    assert_eq!(run(&empty, json!({})).output("out"), json!([[]]));
}

#[test]
fn a_list_with_a_hole_is_not_given() {
    let content = graph(
        vec![list("a", json!([1, 2])), Node::new("odd", "odd"), Node::new("all", "@collect"), output("out")],
        &["a.item -> odd.x", "odd.output -> all.item", "all.output -> out.value"],
    );
    let log = run(&content, json!({}));
    assert_eq!((log.output("out"), log.outcome.unwrap().state), (json!([]), EndState::Failed));
    let mut caught = content.clone();
    caught.nodes.push(Node::new("caught", "text"));
    caught.links.push(super::link("odd.error -> caught.x"));
    assert_eq!(run(&caught, json!({})).output("out"), json!([[1]]));
}

#[test]
fn a_placeholder_never_runs_and_the_rest_does() {
    let content = graph(
        vec![
            Node::new("a", "echo").with("x", 1),
            Node::new("gone", "@placeholder").with("any pin", 1),
            Node::new("note", "@note").with("text", "hello"),
            Node::new("after", "echo"),
            output("out"),
        ],
        &["a.output -> gone.x", "gone.y -> after.x", "a.output -> out.value"],
    );
    let log = run(&content, json!({}));
    assert_eq!(log.output("out"), json!([1]));
    let outcome = log.outcome.unwrap();
    assert_eq!((outcome.state, outcome.never_ran.len()), (EndState::Succeeded, 1));
}

#[test]
fn a_cancelled_run_stops_what_is_under_way_and_ends_at_once() {
    let content = graph(vec![Node::new("a", "echo").with("x", 1), Node::new("b", "echo").with("x", 1)], &[]);
    let plan = plan(&content);
    let (mut state, started) = State::start(&plan, Values::new());
    assert_eq!(started.len(), 2);
    let actions = state.apply(&plan, Happened::Cancelled).unwrap();
    assert!(matches!(&actions[..], [Action::Cancel { .. }, Action::Cancel { .. }, Action::Finish(outcome)]
        if outcome.state == EndState::Cancelled));
    assert_eq!(state.apply(&plan, Happened::Cancelled), Ok(vec![]));
}

#[test]
fn ten_thousand_values_through_one_link_leave_nothing_behind() {
    let items: Vec<u32> = (0..10_000).collect();
    let content = graph(vec![list("a", json!(items)), Node::new("b", "echo")], &["a.item -> b.x"]);
    let plan = plan(&content);
    let mut engine = Engine::start(&content, &plan, &Values::new());
    let (a, b) = (plan.node("a").unwrap(), plan.node("b").unwrap());
    let mut most = 0;
    loop {
        let is_paused = engine.state.should_pause(&plan, a, 16);
        let running = engine.running();
        let Some(next) =
            running.iter().position(|id| (id == "a") != is_paused).or((!running.is_empty()).then_some(0))
        else {
            break;
        };
        engine.step(next);
        most = most.max(engine.state.waiting(&plan, b, "x"));
    }
    assert_eq!((engine.state.started(b), most), (10_000, 16));
}

#[test]
fn what_cannot_have_happened_is_refused() {
    let content = graph(vec![Node::new("a", "echo").with("x", 1)], &[]);
    let plan = plan(&content);
    let (mut state, _) = State::start(&plan, Values::new());
    let node = plan.node("a").unwrap();
    let emitted = |number, index| Happened::Emitted {
        execution: ExecutionId { node, number },
        index,
        pin: "output".into(),
        value: Arc::new(json!(1)),
    };
    assert!(matches!(state.apply(&plan, emitted(2, 0)), Err(Impossible::NeverStarted { .. })));
    assert!(matches!(state.apply(&plan, emitted(1, 1)), Err(Impossible::OutputGap { .. })));
    assert_eq!(state.apply(&plan, emitted(1, 0)), Ok(vec![]));
    assert_eq!(state.apply(&plan, emitted(1, 0)), Ok(vec![]), "an output that is repeated is passed over");
    assert_eq!(state.emitted(ExecutionId { node, number: 1 }), 1);
}

#[test]
fn an_empty_graph_ends_at_once() {
    assert_eq!(run(&GraphContent::default(), json!({})).outcome.unwrap().state, EndState::Succeeded);
}
