//! Ending a Run from outside, with everything it started.

use model::run::{Ending, RunState};
use sandbox::Value;
use server::app::runs::{self, StartRun};
use store::on_both;
use store::testing::TestDatabase;
use tokio::sync::mpsc;

use super::script::{Stage, empty, function, request};
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
        let again = runs::cancel(&stage.ctx, &ME, run_id).await.unwrap_err();
        assert_eq!(again.code(), "run_ended");
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
