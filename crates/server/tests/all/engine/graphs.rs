//! Runs of Graphs: nodes are Steps and Runs, what was done is not done again, and who waits holds nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::access::scope::Scope;
use model::content::Content;
use model::graph::run_options::{BreakAt, GraphOptions};
use model::run::step::Step;
use model::run::{Run, RunState, Waiting};
use sandbox::Value;
use serde_json::{Value as Json, json};
use server::app::changesets::drafts::{Intent, Proposal};
use server::app::runs::StartRun;
use server::app::runs::breakpoints::{self, HeldView, Release};
use server::app::runs::resume::{self, Repeated, ResumePlan};
use server::app::{changesets, runs};
use store::on_both;
use store::testing::{Fault, TestDatabase};

use super::script::{Stage, empty, function, raised, request};
use crate::world::{ME, name};

/// Nodes as `(id, block, constants)` and links as `from.pin -> to.pin`.
pub(crate) fn graph(nodes: &[(&str, &str, Json)], links: &[&str]) -> Json {
    let node = |(id, block, input): &(&str, &str, Json)| json!({"id": id, "block": block, "input": input});
    let link = |text: &&str| {
        let (from, to) = text.split_once(" -> ").unwrap();
        let ((from, from_pin), (to, to_pin)) = (from.split_once('.').unwrap(), to.split_once('.').unwrap());
        json!({"from": from, "from_pin": from_pin, "to": to, "to_pin": to_pin})
    };
    json!({
        "kind": "graph",
        "nodes": nodes.iter().map(node).collect::<Vec<_>>(),
        "links": links.iter().map(link).collect::<Vec<_>>(),
    })
}

pub(crate) async fn put(stage: &Stage, graph_name: &str, content: Json) {
    let content: Content = serde_json::from_value(content).unwrap();
    let proposal = Proposal::of("", vec![Intent::Put(name(graph_name), content)]);
    changesets::register(&stage.ctx, &ME, &proposal).await.unwrap();
}

/// `n` goes through `double` and comes out as `out`.
fn doubling() -> Json {
    graph(
        &[
            ("in", "@input", json!({"name": "n"})),
            ("twice", "double", json!({})),
            ("out", "@output", json!({"name": "out"})),
        ],
        &["in.output -> twice.n", "twice.output -> out.value"],
    )
}

/// A stage with a function `double`.
async fn staged(database: &TestDatabase) -> Stage {
    let stage = Stage::open(database).await;
    stage.add(&["def double(n: int) -> int:\n    return 2 * n\n"]).await;
    stage.script.part("double", |work, _| async move { Ok(Value::Int(2 * n_of(&work.input))) });
    stage
}

fn n_of(input: &Value) -> i64 {
    input.to_json()["n"].as_i64().unwrap()
}

async fn steps(stage: &Stage, run: &Run) -> Vec<Step> {
    stage.ctx.store.steps(run.run_id).await.unwrap()
}

/// The nodes that were executed, sorted.
fn nodes(steps: &[Step]) -> Vec<&str> {
    let mut nodes: Vec<&str> = steps.iter().map(|step| step.request["node"].as_str().unwrap()).collect();
    nodes.sort_unstable();
    nodes
}

pub(crate) async fn ended(stage: &Stage, run: &Run) -> Run {
    loop {
        let found = runs::get(&stage.ctx, &ME, run.run_id).await.unwrap();
        if found.state.is_final() {
            return found;
        }
        stage.ctx.clock.advance(Duration::from_secs(1));
        tokio::task::yield_now().await;
    }
}

/// Once it has ended or waits again.
async fn settled(stage: &Stage, run: &Run) -> Run {
    loop {
        let found = runs::get(&stage.ctx, &ME, run.run_id).await.unwrap();
        if found.state.is_final() || found.state == RunState::Waiting {
            return found;
        }
        tokio::task::yield_now().await;
    }
}

on_both! {
    async fn a_graph_is_run_like_a_function_and_every_node_is_a_step(database: &TestDatabase) {
        let stage = staged(database).await;
        put(&stage, "twice", doubling()).await;
        let run = stage.start("twice", json!({"n": 21})).await.unwrap();
        assert_eq!((run.state, run.output.clone()), (RunState::Succeeded, Some(json!({"out": 42}))), "{:?}", run.error);
        let steps = steps(&stage, &run).await;
        assert_eq!(nodes(&steps), ["in", "out", "twice"]);
        assert!(steps.iter().all(|step| step.finished_at.is_some() && step.error.is_none()));
        let twice = steps.iter().find(|step| step.request["node"] == "twice").unwrap();
        assert_eq!(twice.request["input"], json!({"n": 21}));
        let child = runs::get(&stage.ctx, &ME, twice.child.unwrap()).await.unwrap();
        assert_eq!((child.parent, child.output), (Some(run.run_id), Some(json!(42))));
    }

    async fn what_a_graph_is_not_given_is_told_before_it_runs(database: &TestDatabase) {
        let stage = staged(database).await;
        put(&stage, "twice", doubling()).await;
        let error = stage.start("twice", empty()).await.unwrap_err();
        assert!(error.to_string().contains("`n`"), "{error}");
    }

    async fn a_failure_names_its_node_and_leaves_on_error_if_that_is_linked(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("fails", "n")]).await;
        stage.script.part("fails", |_, _| async { Err(raised("ValueError", "no such user")) });
        let mut content = doubling();
        content["nodes"][1]["block"] = json!("fails");
        put(&stage, "uncaught", content.clone()).await;
        let run = stage.start("uncaught", json!({"n": 1})).await.unwrap();
        assert_eq!(run.state, RunState::Failed);
        assert_eq!(run.error.unwrap().message, "node `twice`: ValueError: no such user");
        content["links"][1]["from_pin"] = json!("error");
        put(&stage, "caught", content).await;
        let run = stage.start("caught", json!({"n": 1})).await.unwrap();
        assert_eq!(run.output, Some(json!({"out": "ValueError: no such user"})), "{:?}", run.error);
    }

    async fn a_list_is_taken_apart_worked_on_and_collected(database: &TestDatabase) {
        let stage = staged(database).await;
        let content = graph(
            &[
                ("in", "@input", json!({"name": "items"})),
                ("each", "@iterate", json!({})),
                ("twice", "double", json!({})),
                ("all", "@collect", json!({})),
                ("out", "@output", json!({"name": "all"})),
                ("last", "@output", json!({"name": "last"})),
            ],
            &[
                "in.output -> each.items", "each.item -> twice.n", "twice.output -> all.item",
                "all.output -> out.value", "twice.output -> last.value",
            ],
        );
        put(&stage, "each", content).await;
        let run = stage.start("each", json!({"items": [3, 1, 2]})).await.unwrap();
        assert_eq!(run.output, Some(json!({"all": [6, 2, 4], "last": 4})), "{:?}", run.error);
        let printed = stage.ctx.store.output(run.run_id).await.unwrap();
        assert!(printed[0].text.starts_with("output `last` was given 3 values;"), "{printed:?}");
    }

    async fn a_graph_in_a_graph_gives_all_it_gives(database: &TestDatabase) {
        let stage = staged(database).await;
        let inner = graph(
            &[
                ("in", "@input", json!({"name": "items"})),
                ("each", "@iterate", json!({})),
                ("out", "@output", json!({"name": "item"})),
            ],
            &["in.output -> each.items", "each.item -> out.value"],
        );
        put(&stage, "inner", inner).await;
        let outer = graph(
            &[
                ("in", "@input", json!({"name": "items"})),
                ("inner", "inner", json!({})),
                ("twice", "double", json!({})),
                ("all", "@collect", json!({})),
                ("out", "@output", json!({"name": "all"})),
            ],
            &["in.output -> inner.items", "inner.item -> twice.n", "twice.output -> all.item", "all.output -> out.value"],
        );
        put(&stage, "outer", outer).await;
        let run = stage.start("outer", json!({"items": [1, 2, 3]})).await.unwrap();
        assert_eq!(run.output, Some(json!({"all": [2, 4, 6]})), "{:?}", run.error);
    }

    async fn a_function_calls_a_graph_as_it_calls_a_function(database: &TestDatabase) {
        let stage = staged(database).await;
        put(&stage, "twice", doubling()).await;
        stage.add(&["def calls(n):\n    return twice(n=n)\n"]).await;
        stage.script.part("calls", |work, host| async move {
            let twice = work.closure.functions.iter().find(|function| function.name == "twice").unwrap();
            let id = twice.source.split('"').nth(1).unwrap().to_owned();
            let named = Value::Map(vec![("n".to_owned(), Value::Int(4))]);
            Ok(host.verb("call", vec![id.as_str().into(), Value::List(vec![]), named]).await.unwrap())
        });
        let run = stage.start("calls", json!({"n": 4})).await.unwrap();
        assert_eq!(run.output, Some(json!({"out": 8})), "{:?}", run.error);
    }

    async fn a_question_and_a_wait_hold_nothing_and_the_graph_goes_on_with_the_answer(database: &TestDatabase) {
        let stage = Stage::narrow(database).await;
        let content = graph(
            &[
                ("ask", "@ask", json!({"question": "How many?"})),
                ("wait", "@wait", json!({"seconds": 3600})),
                ("out", "@output", json!({"name": "answer"})),
            ],
            &["ask.answer -> wait.value", "wait.output -> out.value"],
        );
        put(&stage, "asks", content).await;
        let run = stage.start("asks", empty()).await.unwrap();
        let Some(Waiting::Person { question, .. }) = &run.waiting else { panic!("{run:?}") };
        assert_eq!(question["question"], "How many?");
        stage.work();
        runs::answer(&stage.ctx, &ME, run.run_id, json!(7)).await.unwrap();
        loop {
            let found = runs::get(&stage.ctx, &ME, run.run_id).await.unwrap();
            if matches!(found.waiting, Some(Waiting::Time { .. })) {
                break;
            }
            assert!(!found.state.is_final(), "{found:?}");
            tokio::task::yield_now().await;
        }
        stage.ctx.clock.advance(Duration::from_secs(3601));
        let run = stage.until(run.run_id, RunState::Succeeded).await;
        assert_eq!(run.output, Some(json!({"answer": 7})));
    }

    async fn a_graph_whose_nodes_wait_gives_its_place_back_and_is_woken(database: &TestDatabase) {
        let stage = Stage::narrow(database).await;
        stage.add(&[&function("asks", ""), &function("other", "")]).await;
        stage.script.part("asks", |_, host| async move { Ok(host.verb("ask", vec!["Really?".into()]).await.unwrap()) });
        stage.script.part("other", |_, _| async { Ok(Value::Int(1)) });
        let nodes = [("asks", "asks", json!({})), ("out", "@output", json!({"name": "answer"}))];
        put(&stage, "waits", graph(&nodes, &["asks.output -> out.value"])).await;
        let run = stage.queue("waits", empty()).await;
        stage.work();
        let waiting = stage.until(run.run_id, RunState::Waiting).await;
        assert!(matches!(waiting.waiting, Some(Waiting::Runs { .. })), "{waiting:?}");
        // The only place is free.
        let other = stage.queue("other", empty()).await;
        stage.until(other.run_id, RunState::Succeeded).await;
        let child = steps(&stage, &run).await[0].child.unwrap();
        runs::answer(&stage.ctx, &ME, child, json!("yes")).await.unwrap();
        let run = stage.until(run.run_id, RunState::Succeeded).await;
        assert_eq!(run.output, Some(json!({"answer": "yes"})));
    }

    async fn a_graph_that_is_cancelled_ends_its_nodes(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("hangs", "")]).await;
        stage.script.part("hangs", |_, _| std::future::pending());
        put(&stage, "stuck", graph(&[("hangs", "hangs", json!({}))], &[])).await;
        let run = stage.queue("stuck", empty()).await;
        stage.work();
        let child = child_of(&stage, &run).await;
        runs::cancel(&stage.ctx, &ME, run.run_id).await.unwrap();
        stage.until(run.run_id, RunState::Cancelled).await;
        stage.until(child.run_id, RunState::Cancelled).await;
    }

    async fn a_graph_in_which_a_graph_is_cancelled_fails_though_that_gave_something(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("hangs", "")]).await;
        stage.script.part("hangs", |_, _| std::future::pending());
        let inner = graph(
            &[
                ("in", "@input", json!({"name": "n", "value": 1})),
                ("hangs", "hangs", json!({})),
                ("out", "@output", json!({"name": "passed"})),
            ],
            &["in.output -> out.value"],
        );
        put(&stage, "inner", inner).await;
        let nodes = [("inner", "inner", json!({})), ("out", "@output", json!({"name": "passed"}))];
        put(&stage, "outer", graph(&nodes, &["inner.passed -> out.value"])).await;
        let run = stage.queue("outer", empty()).await;
        stage.work();
        let inner = child_of(&stage, &run).await;
        child_of(&stage, &inner).await;
        runs::cancel(&stage.ctx, &ME, inner.run_id).await.unwrap();
        let run = ended(&stage, &run).await;
        assert_eq!(run.state, RunState::Failed);
        assert!(run.error.unwrap().message.starts_with("node `inner`: Cancelled"));
    }

    async fn a_graph_whose_end_is_asked_for_elsewhere_ends_as_it_starts_its_next_node(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("first", ""), &function("second", "n")]).await;
        let ctx = stage.ctx.clone();
        stage.script.part("first", move |_, _| {
            let store = ctx.store.clone();
            async move {
                let all = store.runs(&Default::default(), 9).await.unwrap();
                let graph = all.iter().find(|run| run.parent.is_none()).unwrap();
                // Only the graph is marked, and nobody here hears of it.
                store.request_cancel(graph.run_id, &ME.actor, graph.created_at, &Scope::All).await.unwrap();
                Ok(Value::Int(1))
            }
        });
        let nodes = [("a", "first", json!({})), ("b", "second", json!({}))];
        put(&stage, "chain", graph(&nodes, &["a.output -> b.n"])).await;
        // The clock stands still, so no lease runs out and nothing is recovered.
        let run = stage.start("chain", empty()).await.unwrap();
        assert_eq!((run.state, server::engine::recovered(&stage.ctx)), (RunState::Cancelled, 0));
    }

    async fn a_cycle_ends_with_its_budget_and_says_so(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let mut content = graph(
            &[("first", "@input", json!({"name": "n", "value": 1})), ("store", "@store", json!({}))],
            &["first.output -> store.input", "store.output -> store.data"],
        );
        content["budget"] = json!(20);
        content["nodes"][1]["block"] = json!("@condition");
        content["nodes"][1]["input"] = json!({"operator": "==", "value2": 1});
        content["links"] = json!([
            {"from": "first", "from_pin": "output", "to": "store", "to_pin": "value1"},
            {"from": "store", "from_pin": "yes_output", "to": "store", "to_pin": "value1"},
        ]);
        put(&stage, "cycle", content).await;
        let run = stage.start("cycle", empty()).await.unwrap();
        assert!(run.error.unwrap().message.contains("the budget of 20 node executions was used up"));
    }

    async fn a_value_that_a_cycle_makes_deeper_and_deeper_fails_its_node(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let condition = json!({"operator": "!=", "value2": "x"});
        let mut content = graph(
            &[
                ("first", "@input", json!({"name": "n", "value": 1})),
                ("c", "@condition", condition.clone()),
                ("d", "@condition", condition),
            ],
            &["first.output -> c.value1", "d.yes_output -> c.value1"],
        );
        content["budget"] = json!(10_000);
        let deeper = format!("value1{}", "[0]".repeat(30));
        let link = json!({"from": "c", "from_pin": "yes_output", "to": "d", "to_pin": deeper});
        content["links"].as_array_mut().unwrap().push(link);
        put(&stage, "deeper", content).await;
        let run = stage.start("deeper", empty()).await.unwrap();
        let message = run.error.unwrap().message;
        assert!(message.contains("nested deeper than 100 levels"), "{message}");
        assert!(message.contains("`d`") && message.contains("value1[0]"), "{message}");
        // What was recorded can be read.
        stage.ctx.store.graph_steps(run.run_id, None, 0, 1_000).await.unwrap();
    }

    async fn a_value_that_is_too_large_for_a_link_is_refused_with_its_pin(database: &TestDatabase) {
        let stage = staged(database).await;
        stage.add(&[&function("large", "")]).await;
        stage.script.part("large", |_, _| async { Ok("x".repeat(9 << 20).as_str().into()) });
        let nodes = [("large", "large", json!({})), ("out", "@output", json!({"name": "out"}))];
        put(&stage, "heavy", graph(&nodes, &["large.output -> out.value"])).await;
        let run = stage.start("heavy", empty()).await.unwrap();
        let message = run.error.unwrap().message;
        assert!(message.starts_with("node `large`: ValueTooLarge: the value on pin `output` has"), "{message}");
    }

    async fn a_server_may_die_at_any_call_and_no_node_that_ended_is_executed_again(database: &TestDatabase) {
        for fault in [Fault::Before as fn(u64) -> Fault, Fault::After] {
            for n in 0.. {
                if !dies(database, fault(n)).await {
                    assert!(n > 8, "hardly anything was tried");
                    break;
                }
            }
        }
    }
    async fn a_run_stands_at_a_breakpoint_without_a_cell_and_goes_on_with_another_value(database: &TestDatabase) {
        let stage = staged(database).await;
        put(&stage, "twice", doubling()).await;
        let breakpoints = BreakAt { nodes: ["twice".to_owned()].into(), ..BreakAt::default() };
        let started = StartRun {
            graph: GraphOptions { breakpoints, ..GraphOptions::default() },
            ..request("twice", json!({"n": 21}))
        };
        let run = runs::start(&stage.ctx, &ME, started).await.unwrap();
        stage.work();
        let waiting = Waiting::Breakpoints { nodes: vec!["twice".to_owned()], values: 0, until: None };
        assert_eq!((run.state, run.waiting.clone()), (RunState::Waiting, Some(waiting)));
        let held = breakpoints::held(&stage.ctx, &ME, run.run_id).await.unwrap();
        assert_eq!(held, [HeldView::Node { node: "twice".to_owned(), number: 1, input: json!({"n": 21}) }]);
        let wrong = Release { node: Some("out".to_owned()), ..Release::default() };
        let error = breakpoints::release(&stage.ctx, &ME, run.run_id, wrong).await.unwrap_err();
        assert_eq!(error.to_string(), format!("run {} does not stand at node `out`", run.run_id));
        let release = Release { value: Some(json!({"n": 4})), ..Release::default() };
        breakpoints::release(&stage.ctx, &ME, run.run_id, release).await.unwrap();
        let run = ended(&stage, &run).await;
        assert_eq!(run.output, Some(json!({"out": 8})), "{:?}", run.error);
        let twice = steps(&stage, &run).await.into_iter().find(|step| step.request["node"] == "twice").unwrap();
        assert_eq!(twice.request["input"], json!({"n": 4}), "the record has what it was executed with");
        let late = breakpoints::release(&stage.ctx, &ME, run.run_id, Release::default()).await.unwrap_err();
        assert_eq!(late.code(), "run_ended");
    }

    async fn a_run_is_stepped_through_and_values_on_links_are_seen_and_changed(database: &TestDatabase) {
        let stage = staged(database).await;
        put(&stage, "twice", doubling()).await;
        let link = json!({"from": "twice", "from_pin": "output", "to": "out", "to_pin": "value"});
        let breakpoints = serde_json::from_value(json!({"everywhere": true, "links": [link]})).unwrap();
        let started = StartRun {
            graph: GraphOptions { breakpoints, ..GraphOptions::default() },
            ..request("twice", json!({"n": 1}))
        };
        let mut run = runs::start(&stage.ctx, &ME, started).await.unwrap();
        stage.work();
        let mut seen = Vec::new();
        while run.state == RunState::Waiting {
            let held = breakpoints::held(&stage.ctx, &ME, run.run_id).await.unwrap();
            let on_link = matches!(held[..], [HeldView::Link { .. }]);
            seen.extend(held);
            let value = on_link.then(|| json!(7));
            breakpoints::release(&stage.ctx, &ME, run.run_id, Release { value, ..Release::default() }).await.unwrap();
            run = settled(&stage, &run).await;
        }
        let link = serde_json::from_value(link).unwrap();
        let node = |node: &str, input: Json| HeldView::Node { node: node.to_owned(), number: 1, input };
        assert_eq!(seen, [
            node("in", json!({"name": "n", "value": 1})),
            node("twice", json!({"n": 1})),
            HeldView::Link { link, value: json!(2) },
            node("out", json!({"name": "out", "value": 7})),
        ]);
        assert_eq!(run.output, Some(json!({"out": 7})), "{:?}", run.error);
    }

    async fn a_node_whose_output_is_pinned_is_not_executed(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&["def double(n: int) -> int:\n    return 2 * n\n"]).await;
        stage.script.part("double", |_, _| async { panic!("it is pinned") });
        put(&stage, "twice", doubling()).await;
        let pinned = serde_json::from_value(json!({"twice": {"output": [5, 6]}})).unwrap();
        let start = |pinned| StartRun {
            graph: GraphOptions { pinned, ..GraphOptions::default() },
            ..request("twice", json!({"n": 1}))
        };
        let run = runs::start(&stage.ctx, &ME, start(pinned)).await.unwrap();
        assert_eq!(run.output, Some(json!({"out": 6})), "{:?}", run.error);
        let unknown = serde_json::from_value(json!({"twise": {"output": [5]}})).unwrap();
        let error = runs::start(&stage.ctx, &ME, start(unknown)).await.unwrap_err();
        assert_eq!(error.to_string(), "`twice`: the graph has no node `twise`; did you mean `twice`?");
    }

    async fn a_failed_run_is_resumed_at_what_failed_and_keeps_the_rest(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&["def first(n: int) -> int:\n    return n + 1\n", "def second(n: int) -> int:\n    return n\n"]).await;
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        stage.script.part("first", move |work, _| {
            counted.fetch_add(1, Ordering::SeqCst);
            async move { Ok(Value::Int(n_of(&work.input) + 1)) }
        });
        let is_up = Arc::new(AtomicUsize::new(0));
        let up = Arc::clone(&is_up);
        stage.script.part("second", move |work, _| {
            let fails = up.load(Ordering::SeqCst) == 0;
            async move { if fails { Err(raised("OSError", "the host is down")) } else { Ok(Value::Int(n_of(&work.input) * 10)) } }
        });
        let content = graph(
            &[("in", "@input", json!({"name": "n"})), ("a", "first", json!({})), ("b", "second", json!({})), ("out", "@output", json!({"name": "out"}))],
            &["in.output -> a.n", "a.output -> b.n", "b.output -> out.value"],
        );
        put(&stage, "both", content).await;
        let failed = stage.start("both", json!({"n": 1})).await.unwrap();
        assert_eq!(failed.state, RunState::Failed);
        let plan = resume::plan(&stage.ctx, &ME, failed.run_id).await.unwrap();
        let message = Some("OSError: the host is down".to_owned());
        let repeated = Repeated { node: "b".to_owned(), number: 1, block: "second".to_owned(), error: message };
        assert_eq!(plan, ResumePlan { kept: 2, repeated: vec![repeated] });
        // Once more while it is down, then again from that run.
        let request = resume::resume(&stage.ctx, &ME, failed.run_id, false).await.unwrap();
        let again = runs::start(&stage.ctx, &ME, request).await.unwrap();
        assert_eq!((again.state, again.how.graph.as_ref().unwrap().resumes), (RunState::Failed, Some(failed.run_id)));
        is_up.store(1, Ordering::SeqCst);
        let request = resume::resume(&stage.ctx, &ME, again.run_id, true).await.unwrap();
        let run = runs::start(&stage.ctx, &ME, request).await.unwrap();
        assert_eq!(run.output, Some(json!({"out": 20})), "{:?}", run.error);
        assert_eq!(calls.load(Ordering::SeqCst), 1, "what succeeded is not executed again");
        assert_eq!(nodes(&steps(&stage, &run).await), ["a", "b", "in", "out"]);
        let error = resume::resume(&stage.ctx, &ME, run.run_id, false).await.err().unwrap();
        assert!(error.to_string().ends_with("is succeeded, and only a run that failed can be resumed"), "{error}");
    }
}

/// The Run of its first node, as soon as there is one.
async fn child_of(stage: &Stage, run: &Run) -> Run {
    loop {
        if let Some(child) = steps(stage, run).await.iter().find_map(|step| step.child)
            && let Some(child) = stage.ctx.store.run(child).await.unwrap()
        {
            return child;
        }
        tokio::task::yield_now().await;
    }
}

/// Two functions after each other; the server dies at a call to its database, and another one goes on.
async fn dies(database: &TestDatabase, fault: Fault) -> bool {
    let stage = Stage::open(database).await;
    stage.add(&[&function("first", ""), &function("second", "n")]).await;
    let executed = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&executed);
    stage.script.part("first", move |_, _| {
        let number = counted.fetch_add(1, Ordering::SeqCst);
        async move { Ok(Value::Int(i64::try_from(number).unwrap())) }
    });
    stage.script.part("second", |work, _| async move { Ok(Value::Int(10 + n_of(&work.input))) });
    let content = graph(
        &[("a", "first", json!({})), ("b", "second", json!({})), ("out", "@output", json!({"name": "out"}))],
        &["a.output -> b.n", "b.output -> out.value"],
    );
    put(&stage, "chain", content).await;
    stage.ctx.store.die_at(fault);
    server::engine::give_up(&stage.ctx);
    let queued = runs::queue(&stage.ctx, &ME, request("chain", empty())).await.ok();
    server::engine::round(&stage.ctx).await.ok();
    stage.settle().await;
    let reached = stage.ctx.store.fault_was_reached();
    let next = stage.another(database).await;
    next.ctx.clock.advance(Duration::from_secs(3600));
    next.work();
    if let Some(run) = queued {
        let run = ended(&next, &run).await;
        assert_eq!(run.state, RunState::Succeeded, "{:?}", run.error);
        let steps = steps(&next, &run).await;
        assert_eq!(nodes(&steps), ["a", "b", "out"]);
        let first = next.ctx.store.run(steps[0].child.unwrap()).await.unwrap().unwrap();
        let n = first.output.unwrap().as_i64().unwrap();
        assert_eq!(run.output, Some(json!({"out": 10 + n})), "what `a` gave is what `b` got");
    }
    stage.close().await;
    next.close().await;
    reached
}
