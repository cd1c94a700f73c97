//! What is recorded of a Run, and which requests become one.

use model::run::{Ending, RunState};
use sandbox::Value;
use serde_json::json;
use server::app::runs::{self, StartRun};
use store::on_both;
use store::testing::TestDatabase;

use super::script::{Stage, empty, function, raised, request};
use crate::world::ME;

on_both! {
    async fn a_run_that_is_waited_for_is_recorded_before_it_is_answered(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("add", "a: int, b: int = 2")]).await;
        stage.script.part("add", |work, _| async move {
            assert_eq!(work.input.get("a"), Some(&Value::Int(40)));
            Ok(Value::Int(42))
        });
        let run = stage.start("add", json!({"a": 40})).await.unwrap();
        let stored = runs::get(&stage.ctx, &ME, run.run_id).await.unwrap();
        assert_eq!((stored.state, stored.ending), (RunState::Succeeded, Some(Ending::Returned)));
        assert_eq!((run.output, stored.output), (Some(json!(42)), Some(json!(42))));
        assert_eq!(stored.input, json!({"a": 40}));
        assert!(stored.closure.is_some() && stored.finished_at.is_some());
        let events = stage.ctx.store.events_after(0, 100).await.unwrap();
        let told = events.iter().filter(|event| event.fact.kind.to_string() == "run.finished").count();
        assert_eq!(told, 1);
    }

    async fn an_input_that_does_not_fit_starts_nothing(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("add", "a: int")]).await;
        let error = stage.start("add", json!({"a": "four"})).await.unwrap_err();
        assert_eq!(error.code(), "bad_run_input");
        assert_eq!(stage.executions(), 0);
        assert!(runs::list(&stage.ctx, &ME, Default::default(), 10).await.unwrap().is_empty());
    }

    async fn a_second_request_with_the_same_key_gets_the_first_run(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("once", "")]).await;
        stage.script.part("once", |_, _| async { Ok(Value::None) });
        let keyed = || StartRun { idempotency_key: Some("k".to_owned()), ..request("once", empty()) };
        let first = runs::start(&stage.ctx, &ME, keyed()).await.unwrap();
        let second = runs::start(&stage.ctx, &ME, keyed()).await.unwrap();
        assert_eq!(first.run_id, second.run_id);
        assert_eq!(stage.executions(), 1);
    }

    async fn what_a_function_raises_is_the_runs_error(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("fail", "")]).await;
        stage.script.part("fail", |_, _| async { Err(raised("ValueError", "no")) });
        let run = stage.start("fail", empty()).await.unwrap();
        assert_eq!((run.state, run.ending), (RunState::Failed, Some(Ending::Raised)));
        assert_eq!(run.error.unwrap().type_name, "ValueError");
    }

    async fn a_queued_run_is_executed_by_a_worker(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("later", "")]).await;
        stage.script.part("later", |_, _| async { Ok(Value::Bool(true)) });
        let run = stage.queue("later", empty()).await;
        assert_eq!((run.state, stage.executions()), (RunState::Queued, 0));
        stage.work();
        let run = stage.until(run.run_id, RunState::Succeeded).await;
        assert_eq!(run.output, Some(json!(true)));
    }

    async fn a_run_keeps_the_version_it_started_with(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&["def f():\n    return 1\n"]).await;
        stage.script.part("f", |work, _| async move {
            Ok(Value::from(work.closure.functions[0].source.as_str()))
        });
        let run = stage.queue("f", empty()).await;
        stage.add(&["def f():\n    return 2\n"]).await;
        stage.work();
        let run = stage.until(run.run_id, RunState::Succeeded).await;
        assert!(run.output.unwrap().as_str().unwrap().contains("return 1"));
    }
}
