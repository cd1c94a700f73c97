//! Runs whose threads ask for Steps side by side.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use model::run::step::Step;
use model::run::{RunState, Waiting};
use sandbox::Value;
use serde_json::{Value as Json, json};
use server::app::runs::{self, replay};
use store::testing::TestDatabase;
use store::{RunFilter, on_both};

use super::script::{Asking, Stage, empty, function};
use crate::world::ME;

const THREADS: usize = 8;

/// A thread that draws and emits in turns. They overtake each other in another order each time.
async fn thread(host: Asking, number: usize, execution: usize) -> Vec<Value> {
    let (lane, mut drawn) = (format!("main/{number}"), Vec::new());
    for turn in 0..4 {
        for _ in 0..(number * 7 + execution * 5 + turn) % 11 {
            tokio::task::yield_now().await;
        }
        drawn.push(host.verb_in(&lane, "random", vec![]).await.unwrap());
        let told = Value::Str(format!("{number} {turn}"));
        host.verb_in(&lane, "emit", vec!["told".into(), told]).await.unwrap();
    }
    drawn
}

async fn threads(host: &Asking, execution: usize) -> Value {
    let drawn = join_all((1..=THREADS).map(|number| thread(host.clone(), number, execution))).await;
    Value::List(drawn.into_iter().map(Value::List).collect())
}

/// What was emitted, and how often.
async fn told(stage: &Stage) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for event in stage.ctx.store.events_after(0, 1000).await.unwrap() {
        if event.fact.kind.to_string() == "custom.told" {
            *counts.entry(event.fact.data["output"].to_string()).or_default() += 1;
        }
    }
    counts
}

on_both! {
    async fn threads_of_a_run_that_is_taken_away_in_the_middle_go_on_where_each_of_them_was(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("busy", "")]).await;
        let (store, now) = (stage.ctx.store.clone(), stage.ctx.clock.now());
        let executions = Arc::new(AtomicUsize::new(0));
        stage.script.part("busy", move |_, host| {
            let (store, execution) = (store.clone(), executions.fetch_add(1, Ordering::SeqCst));
            async move {
                // Twice another server takes this one for dead, after some of what it does.
                if execution >= 2 {
                    return Ok(threads(&host, execution).await);
                }
                let held = store.runs(&RunFilter::default(), 1).await.unwrap().remove(0);
                let taken = async {
                    while store.steps(held.run_id).await.unwrap().len() < 20 * (execution + 1) {
                        tokio::task::yield_now().await;
                    }
                    assert!(store.requeue_run(held.run_id, held.lease.unwrap(), now, 1, None).await.unwrap());
                };
                Ok(tokio::join!(threads(&host, execution), taken).0)
            }
        });
        let run = stage.queue("busy", empty()).await;
        stage.work();
        let ended = stage.until(run.run_id, RunState::Succeeded).await;
        assert_eq!(stage.executions(), 3);
        let counts = told(&stage).await;
        assert_eq!((counts.len(), counts.values().copied().max()), (THREADS * 4, Some(1)), "{counts:?}");
        let steps = stage.ctx.store.steps(run.run_id).await.unwrap();
        let positions: Vec<u32> = steps.iter().map(|step| step.position).collect();
        assert_eq!(positions, (1..=THREADS as u32 * 8).collect::<Vec<_>>());
        for number in 1..=THREADS {
            let lane = format!("main/{number}");
            let drawn = steps.iter().filter(|step| step.lane.as_str() == lane && step.verb == "random");
            let mut drawn: Vec<&Step> = drawn.collect();
            // A position that a server gave back may be taken by a later step of the lane.
            drawn.sort_by_key(|step| step.number);
            let drawn: Vec<&Json> = drawn.iter().map(|step| step.result.as_ref().unwrap()).collect();
            assert_eq!(ended.output.as_ref().unwrap()[number - 1], json!(drawn));
        }
        let replayed = replay::replay(&stage.ctx, &ME, run.run_id, |_, _| ()).await.unwrap();
        assert!(replayed.same, "{replayed:?}");
    }

    async fn a_run_that_waits_in_one_thread_does_nothing_twice_in_others(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("inner", "")]).await;
        stage.register("import selfmade\n\n@selfmade.function(brain=\"read\")\ndef waits():\n    return None\n").await;
        stage.script.part("inner", |_, _| async { Ok(Value::Int(7)) });
        let executions = Arc::new(AtomicUsize::new(0));
        stage.script.part("waits", move |_, host| {
            let execution = executions.fetch_add(1, Ordering::SeqCst);
            async move {
                let sleeps = async { host.verb_in("main/9", "sleep", vec![3600.into()]).await.unwrap() };
                let asks = async { host.verb_in("main/10", "ask", vec!["go on?".into()]).await.unwrap() };
                let runs = async { host.verb_in("main/11", "run", vec!["inner".into()]).await.unwrap() };
                let (drawn, _, answer, ran) = tokio::join!(threads(&host, execution), sleeps, asks, runs);
                Ok(Value::List(vec![drawn, answer, ran]))
            }
        });
        let run = stage.queue("waits", empty()).await;
        stage.work();
        let waiting = stage.until(run.run_id, RunState::Waiting).await;
        // Which of them was first to wait is chance; the other is waited for afterwards.
        let mut waits = waiting.waiting;
        while let Some(waited) = waits.take() {
            match waited {
                Waiting::Person { .. } => {
                    runs::answer(&stage.ctx, &ME, run.run_id, json!("yes")).await.unwrap();
                }
                Waiting::Time { .. } | Waiting::Runs { .. } | Waiting::Breakpoints { .. } | Waiting::Decision { .. } => stage.ctx.clock.advance(Duration::from_secs(3601)),
            }
            loop {
                let found = runs::get(&stage.ctx, &ME, run.run_id).await.unwrap();
                if found.state.is_final() || found.waiting.as_ref().is_some_and(|now| *now != waited) {
                    waits = found.waiting;
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        let ended = stage.until(run.run_id, RunState::Succeeded).await;
        let output = ended.output.unwrap();
        assert_eq!((&output[1], &output[2]), (&json!("yes"), &json!(7)));
        let counts = told(&stage).await;
        assert_eq!((counts.len(), counts.values().copied().max()), (THREADS * 4, Some(1)), "{counts:?}");
        let inner = RunFilter { name: Some("inner".to_owned()), ..RunFilter::default() };
        assert_eq!(stage.ctx.store.runs(&inner, 10).await.unwrap().len(), 1);
    }
}
