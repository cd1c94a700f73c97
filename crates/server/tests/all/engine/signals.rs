//! Servers of one PostgreSQL wake each other. Their clock stands still, so nothing is ever polled.

use std::time::Duration;

use model::ids::RunId;
use model::run::{Ending, RunState};
use model::trigger::TriggerContent;
use sandbox::Value;
use serde_json::json;
use server::app::{runs, triggers};
use store::testing::{AtGate, Gate, Passage, TestDatabase};
use tokio::sync::mpsc;

use super::script::{Stage, empty, function};
use crate::http::asking::open;
use crate::http::streaming::Stream;
use crate::world::{ME, name};

/// Without a signal it would never come.
async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), what).await.expect("nobody was woken")
}

/// Two servers. `quick` returns at once; `long` says that it has begun, and returns when it is let go.
struct Pair {
    first: Stage,
    second: Stage,
    begun: mpsc::UnboundedReceiver<()>,
    let_go: tokio::sync::watch::Sender<bool>,
    database: TestDatabase,
}

async fn pair() -> Pair {
    let database = TestDatabase::postgres().await;
    let first = Stage::open(&database).await;
    first.add(&[&function("quick", ""), &function("long", ""), &function("after", "x")]).await;
    let (begin, begun) = mpsc::unbounded_channel();
    let (let_go, gone) = tokio::sync::watch::channel(false);
    first.script.part("quick", |_, _| async { Ok(Value::Int(7)) });
    first.script.part("after", |_, _| async { Ok(Value::None) });
    first.script.part("long", move |_, _| {
        let mut gone = gone.clone();
        begin.send(()).unwrap();
        async move {
            gone.wait_for(|gone| *gone).await.unwrap();
            Ok(Value::Int(7))
        }
    });
    let second = first.another(&database).await;
    first.listen().await;
    second.listen().await;
    Pair { first, second, begun, let_go, database }
}

impl Pair {
    /// Only the second executes what is queued, and has done so before: it waits.
    async fn with_one_worker() -> Pair {
        let pair = pair().await;
        pair.second.work();
        pair.queued_elsewhere().await;
        pair
    }

    async fn queued_elsewhere(&self) -> RunId {
        let run = self.first.queue("quick", empty()).await;
        soon(self.first.until(run.run_id, RunState::Succeeded)).await;
        soon(self.second.settle()).await;
        run.run_id
    }

    async fn long(&mut self) -> RunId {
        let run = self.first.queue("long", empty()).await;
        soon(self.begun.recv()).await.unwrap();
        run.run_id
    }
}

/// The call that waits at the gate next.
async fn next_call(gate: &Gate) -> AtGate {
    soon(async {
        loop {
            if let Some(call) = gate.waiting().first() {
                return call.clone();
            }
            tokio::task::yield_now().await;
        }
    })
    .await
}

async fn pass(gate: &Gate) {
    gate.let_through(next_call(gate).await.number, Passage::Pass);
    while gate.is_busy() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_queued_on_one_server_is_started_by_another_at_once() {
    let pair = Pair::with_one_worker().await;
    for _ in 0..5 {
        pair.queued_elsewhere().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_waits_for_a_run_of_another_server_hears_of_its_end_at_once() {
    let mut pair = Pair::with_one_worker().await;
    let id = pair.long().await;
    let gate = Gate::default();
    pair.first.ctx.store.pass_through(&gate, 1);
    let ctx = pair.first.ctx.clone();
    let waiting = tokio::spawn(async move { runs::wait(&ctx, &ME, id).await });
    // Whether it may be seen, and how it is.
    pass(&gate).await;
    pass(&gate).await;
    assert_eq!(gate.waiting(), [], "it waits for a signal");
    pair.let_go.send(true).unwrap();
    pass(&gate).await;
    let run = soon(waiting).await.unwrap().unwrap();
    assert_eq!((run.state, run.output), (RunState::Succeeded, Some(json!(7))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_of_another_server_is_cancelled_at_once() {
    let mut pair = Pair::with_one_worker().await;
    let id = pair.long().await;
    assert_eq!(runs::cancel(&pair.first.ctx, &ME, id).await.unwrap(), [id]);
    let run = soon(pair.first.until(id, RunState::Cancelled)).await;
    assert_eq!(run.ending, Some(Ending::Killed));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_of_another_server_are_streamed_at_once() {
    let database = TestDatabase::postgres().await;
    let (stage, asker) = open(&database).await;
    let elsewhere = stage.another(&database).await;
    stage.listen().await;
    let mut stream = Stream::open(&asker, "/api/v1/events?kind=run.*", &[]).await;
    for _ in 0..5 {
        let run = elsewhere.start("add", json!({ "a": 1, "b": 2 })).await.unwrap();
        let (_, kind, data) = soon(stream.next()).await.unwrap();
        assert_eq!((kind.as_str(), &data["data"]["run_id"]), ("run.finished", &json!(run.run_id)));
    }
    asker.stop.cancel();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn triggers_hear_events_and_changes_of_another_server_at_once() {
    let pair = pair().await;
    pair.second.watch();
    let trigger = TriggerContent::after("quick", name("after"));
    triggers::put(&pair.first.ctx, &ME, name("t"), trigger).await.unwrap();
    for fired in 1..5 {
        pair.first.start("quick", empty()).await.unwrap();
        let after = soon(async {
            loop {
                let all = runs::list(&pair.first.ctx, &ME, Default::default(), 100).await.unwrap();
                let after: Vec<_> = all.into_iter().filter(|run| run.key.name.as_str() == "after").collect();
                if after.len() == fired {
                    return after;
                }
                tokio::task::yield_now().await;
            }
        });
        for run in after.await {
            soon(pair.first.until(run.run_id, RunState::Succeeded)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_missed_while_the_connection_was_lost_is_made_up_for() {
    let pair = Pair::with_one_worker().await;
    for _ in 0..3 {
        pair.database
            .execute("select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen selfmade'")
            .await;
        pair.queued_elsewhere().await;
    }
}
