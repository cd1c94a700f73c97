//! Ending a Run from outside, with everything it started.

use model::run::retry::Retry;
use model::run::{Ending, RunState};
use sandbox::Value;
use server::app::runs::{self, StartRun};
use store::on_both;
use store::testing::TestDatabase;
use tokio::sync::mpsc;

use super::script::{Stage, empty, function, raised, request};
use crate::world::ME;

on_both! {
    async fn a_running_run_is_killed(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("endless", "")]).await;
        let (begun, mut beginnings) = mpsc::unbounded_channel();
        stage.script.part("endless", move |_, _| {
            begun.send(()).unwrap();
            std::future::pending()
        });
        let run_id = stage.ctx.ids.run();
        let start = StartRun { run_id: Some(run_id), ..request("endless", empty()) };
        let ctx = stage.ctx.clone();
        let running = tokio::spawn(async move { runs::start(&ctx, &ME, start).await });
        beginnings.recv().await.unwrap();
        assert_eq!(runs::cancel(&stage.ctx, &ME, run_id).await.unwrap(), [run_id]);
        let run = running.await.unwrap().unwrap();
        assert_eq!((run.state, run.ending), (RunState::Cancelled, Some(Ending::Killed)));
        assert_eq!(runs::cancel(&stage.ctx, &ME, run_id).await.unwrap(), [], "it is already cancelled");
    }

    async fn a_run_that_has_ended_otherwise_cannot_be_cancelled(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("quick", "")]).await;
        stage.script.part("quick", |_, _| async { Ok(Value::None) });
        let run = stage.start("quick", empty()).await.unwrap();
        assert_eq!(runs::cancel(&stage.ctx, &ME, run.run_id).await.unwrap_err().code(), "run_ended");
    }

    async fn a_run_that_is_cancelled_as_it_starts_another_leaves_none_behind(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        let elsewhere = stage.another(database).await;
        stage.register("@selfmade.function(brain=\"read\")\ndef outer():\n    return None\n").await;
        stage.add(&[&function("naps", "")]).await;
        stage.script.part("naps", |_, host| async move {
            host.verb("sleep", vec![Value::Int(3600)]).await.unwrap();
            Ok(Value::None)
        });
        let (ctx, run_id) = (elsewhere.ctx.clone(), stage.ctx.ids.run());
        stage.script.part("outer", move |_, host| {
            let ctx = ctx.clone();
            async move {
                runs::cancel(&ctx, &ME, run_id).await.unwrap();
                let heard = host.verb("run", vec!["naps".into()]).await;
                Err(raised("Heard", &format!("{heard:?}")))
            }
        });
        let start = StartRun { run_id: Some(run_id), ..request("outer", empty()) };
        let outer = runs::start(&stage.ctx, &ME, start).await.unwrap();
        assert_eq!(outer.state, RunState::Cancelled, "{outer:?}");
        let all = runs::list(&stage.ctx, &ME, Default::default(), 9).await.unwrap();
        assert!(all.iter().all(|run| run.state.is_final()), "{all:?}");
    }

    async fn what_a_run_started_ends_with_it_if_it_fails(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.register("@selfmade.function(brain=\"read\")\ndef outer():\n    return None\n").await;
        stage.add(&[&function("naps", "")]).await;
        let (begun, beginnings) = mpsc::unbounded_channel();
        stage.script.part("naps", move |_, host| {
            let begun = begun.clone();
            async move {
                begun.send(()).ok();
                host.verb("sleep", vec![Value::Int(3600)]).await.unwrap();
                Ok(Value::None)
            }
        });
        let beginnings = std::sync::Arc::new(tokio::sync::Mutex::new(beginnings));
        stage.script.part("outer", move |_, host| {
            let beginnings = std::sync::Arc::clone(&beginnings);
            async move {
                let asking = tokio::spawn(async move { host.verb("run", vec!["naps".into()]).await });
                beginnings.lock().await.recv().await.unwrap();
                asking.abort();
                Err(raised("OSError", "it gives up"))
            }
        });
        let outer = stage.start("outer", empty()).await.unwrap();
        assert_eq!(outer.state, RunState::Failed);
        let naps = runs::list(&stage.ctx, &ME, Default::default(), 9).await.unwrap();
        let naps = naps.iter().find(|run| run.key.name.as_str() == "naps").unwrap().run_id;
        stage.until(naps, RunState::Cancelled).await;
    }

    async fn a_run_that_is_cancelled_as_it_begins_to_wait_ends(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        // On another server, so that nothing here hears of it before the wait is stored.
        let elsewhere = stage.another(database).await;
        stage.add(&[&function("sleeps", ""), &function("asks", ""), &function("fails", "")]).await;
        for (function, verb) in [("sleeps", "sleep"), ("asks", "ask"), ("fails", "now")] {
            let (ctx, run_id) = (elsewhere.ctx.clone(), stage.ctx.ids.run());
            stage.script.part(function, move |_, host| {
                let ctx = ctx.clone();
                async move {
                    runs::cancel(&ctx, &ME, run_id).await.unwrap();
                    let argument = if verb == "sleep" { Value::Int(3600) } else { "why?".into() };
                    let given = if verb == "now" { vec![] } else { vec![argument] };
                    host.verb(verb, given).await.unwrap();
                    Err(raised("OSError", "busy"))
                }
            });
            let retry = Some(Retry { attempts: 2, first_ms: 60_000, most_ms: 60_000 });
            let start = StartRun { run_id: Some(run_id), retry, ..request(function, empty()) };
            let run = runs::start(&stage.ctx, &ME, start).await.unwrap();
            assert_eq!((function, run.state), (function, RunState::Cancelled));
            assert_eq!(runs::get(&stage.ctx, &ME, run_id).await.unwrap().state, RunState::Cancelled);
        }
    }

    async fn a_queued_run_never_begins(database: &TestDatabase) {
        let stage = Stage::open(database).await;
        stage.add(&[&function("later", "")]).await;
        stage.script.part("later", |_, _| async { Ok(Value::None) });
        let run = stage.queue("later", empty()).await;
        runs::cancel(&stage.ctx, &ME, run.run_id).await.unwrap();
        let ended = runs::get(&stage.ctx, &ME, run.run_id).await.unwrap();
        assert_eq!((ended.state, stage.executions()), (RunState::Cancelled, 0));
    }
}
