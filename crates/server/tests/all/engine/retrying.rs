//! Tries after failed tries.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::run::RunState;
use model::run::retry::Retry;
use sandbox::Value;
use server::app::runs::{self, StartRun};
use store::on_both;
use store::testing::TestDatabase;

use super::script::{Stage, empty, function, raised, request};
use crate::world::ME;

on_both! {
    async fn a_run_that_makes_its_server_panic_ends_after_a_few_tries(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("fatal", "")]).await;
        stage.script.part("fatal", |_, _| async { panic!("the executor has a mistake") });
        let run = stage.queue("fatal", empty()).await;
        stage.work();
        let ended = loop {
            let found = runs::get(&stage.ctx, &ME, run.run_id).await.unwrap();
            if found.state.is_final() {
                break found;
            }
            // Time passes only while the database is quiet, so that the lease does not run out.
            stage.ctx.store.quiet().await;
            stage.ctx.clock.advance(Duration::from_millis(100));
            tokio::task::yield_now().await;
        };
        let error = ended.error.unwrap();
        assert_eq!((error.type_name.as_str(), stage.executions()), ("EngineFailed", 3), "{error:?}");
        assert!(error.message.contains("a bug of the server"), "{}", error.message);
    }

    async fn a_run_that_fails_is_tried_again_after_a_rest(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("flaky", "")]).await;
        let tries = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&tries);
        stage.script.part("flaky", move |_, _| {
            let number = counted.fetch_add(1, Ordering::SeqCst);
            async move { if number < 2 { Err(raised("OSError", "busy")) } else { Ok(Value::Int(3)) } }
        });
        let retry = Some(Retry { attempts: 3, first_ms: 1_000, most_ms: 60_000 });
        let run = runs::queue(&stage.ctx, &ME, StartRun { retry, ..request("flaky", empty()) }).await.unwrap();
        stage.work();
        for tried in 1..3 {
            while tries.load(Ordering::SeqCst) < tried || runs::get(&stage.ctx, &ME, run.run_id).await.unwrap().state != RunState::Queued {
                tokio::task::yield_now().await;
            }
            assert_eq!(runs::get(&stage.ctx, &ME, run.run_id).await.unwrap().attempt, tried as u32 + 1);
            stage.ctx.clock.advance(Duration::from_secs(60));
        }
        let run = stage.until(run.run_id, RunState::Succeeded).await;
        assert_eq!((run.attempt, tries.load(Ordering::SeqCst)), (3, 3));
    }

    async fn a_step_that_failed_is_asked_for_again_and_those_before_it_are_not(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("inner", "")]).await;
        stage.register("import selfmade\n\n@selfmade.function(brain=\"read\")\ndef outer():\n    return None\n").await;
        let tries = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&tries);
        stage.script.part("inner", move |_, _| {
            let number = counted.fetch_add(1, Ordering::SeqCst);
            async move { if number == 0 { Err(raised("OSError", "busy")) } else { Ok(Value::Int(3)) } }
        });
        stage.script.part("outer", |_, host| async move {
            let drawn = host.verb("random", vec![]).await.unwrap();
            host.verb("emit", vec!["drawn".into(), drawn]).await.unwrap();
            match host.verb("run", vec!["inner".into()]).await {
                Ok(value) => Ok(value),
                Err(error) => {
                    host.verb("log", vec!["it failed".into()]).await.unwrap();
                    Err(raised("selfmade.Failed", &error.to_string()))
                }
            }
        });
        let retry = Some(Retry { attempts: 2, first_ms: 0, most_ms: 0 });
        stage.work();
        let run = runs::start(&stage.ctx, &ME, StartRun { retry, ..request("outer", empty()) }).await.unwrap();
        assert_eq!((run.state, run.attempt), (RunState::Succeeded, 2), "{:?}", run.error);
        assert_eq!(tries.load(Ordering::SeqCst), 2);
        let events = stage.ctx.store.events_after(0, 100).await.unwrap();
        let drawn = events.iter().filter(|event| event.fact.kind.to_string() == "custom.drawn").count();
        assert_eq!(drawn, 1, "what had been done was done again");
    }

    async fn the_last_try_is_the_runs_end(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("broken", "")]).await;
        stage.script.part("broken", |_, _| async { Err(raised("OSError", "busy")) });
        let retry = Some(Retry { attempts: 1, ..Retry::default() });
        let run = runs::start(&stage.ctx, &ME, StartRun { retry, ..request("broken", empty()) }).await.unwrap();
        assert_eq!((run.state, stage.executions()), (RunState::Failed, 1));
    }
}
