//! Runs of Graphs that wait, are cancelled, or lose their server: who waits holds nothing, and what was done is not done again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::access::scope::Scope;
use model::run::{Run, RunState, Waiting};
use sandbox::Value;
use serde_json::json;
use server::app::runs;
use store::on_both;
use store::testing::{Fault, TestDatabase};

use super::super::script::{Stage, empty, function, request};
use super::{ended, graph, n_of, nodes, put, steps};
use crate::world::ME;

on_both! {
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
