//! Breakpoints, pinned outputs, and resuming failed Runs of Graphs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use model::graph::run_options::{BreakAt, GraphOptions};
use model::run::{RunState, Waiting};
use sandbox::Value;
use serde_json::{Value as Json, json};
use server::app::runs::breakpoints::{HeldView, Release};
use server::app::runs::resume::{Repeated, ResumePlan};
use server::app::runs::{self, StartRun, breakpoints, resume};
use store::on_both;
use store::testing::TestDatabase;

use super::super::script::{Stage, raised, request};
use super::{doubling, ended, graph, n_of, nodes, put, staged, steps, wait_until_stored};
use crate::world::ME;

on_both! {
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
            run = wait_until_stored(&stage, &run).await;
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
