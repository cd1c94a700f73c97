//! A worker that is told to stop.

use std::sync::Arc;

use model::run::RunState;
use sandbox::Value;
use server::engine::{Stop, under_way, work_until};
use store::on_both;
use store::testing::TestDatabase;
use tokio::sync::{Notify, mpsc};

use super::script::{Stage, empty, function};

/// A stage with a function that says that it has begun, and ends when it is let. It has one place, so that
/// nothing else can be under way.
async fn holding(database: &TestDatabase) -> (Stage, mpsc::UnboundedReceiver<()>, Arc<Notify>) {
    let stage = Stage::narrow(database).await;
    stage.add(&[&function("held", "")]).await;
    let (begins, beginnings) = mpsc::unbounded_channel();
    let end = Arc::new(Notify::new());
    let let_go = Arc::clone(&end);
    stage.script.part("held", move |_, _| {
        let (begins, end) = (begins.clone(), Arc::clone(&let_go));
        async move {
            begins.send(()).unwrap();
            end.notified().await;
            Ok(Value::Int(1))
        }
    });
    (stage, beginnings, end)
}

on_both! {
    async fn what_is_under_way_may_end_and_nothing_more_is_taken(database: &TestDatabase) {
        let (stage, mut beginnings, end) = holding(database).await;
        let stop = Stop::default();
        let worker = tokio::spawn(work_until(stage.ctx.clone(), stop.clone()));
        let first = stage.queue("held", empty()).await;
        beginnings.recv().await.unwrap();
        stop.taking.cancel();
        let second = stage.queue("held", empty()).await;
        assert_eq!(under_way(&stage.ctx), 1);
        end.notify_one();
        worker.await.unwrap();
        stage.until(first.run_id, RunState::Succeeded).await;
        stage.until(second.run_id, RunState::Queued).await;
        assert_eq!(under_way(&stage.ctx), 0);
    }

    async fn what_is_under_way_is_ended_if_there_is_no_time(database: &TestDatabase) {
        let (stage, mut beginnings, _end) = holding(database).await;
        let stop = Stop::default();
        let worker = tokio::spawn(work_until(stage.ctx.clone(), stop.clone()));
        let run = stage.queue("held", empty()).await;
        beginnings.recv().await.unwrap();
        stop.taking.cancel();
        stop.running.cancel();
        worker.await.unwrap();
        // It can be resumed, so the next server takes it from the queue.
        stage.until(run.run_id, RunState::Queued).await;
    }
}
