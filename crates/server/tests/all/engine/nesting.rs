//! Runs that wait for Runs: how many are executed at once is bounded on each level, and they never wait for each other in a circle.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::run::RunState;
use model::run::nesting::DEEPEST;
use sandbox::{HostError, Value};
use serde_json::json;
use server::app::runs;
use store::on_both;
use store::testing::TestDatabase;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::script::{Asking, Stage, empty};
use crate::world::ME;

/// How many are executed, and the most that were at once.
#[derive(Default)]
struct Count {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Count {
    fn enter(&self) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
    }

    fn leave(&self) {
        self.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// One place on each level.
async fn narrow(database: &TestDatabase) -> Stage {
    let stage = Stage::configured(database, |config| {
        config.engine.nested_at_once = 1;
        config.engine.at_once = 2;
    })
    .await;
    for name in ["outer", "middle", "inner", "limited"] {
        let grants = if name == "limited" { "brain=\"read\", concurrency=1" } else { "brain=\"read\"" };
        stage.register(&format!("@selfmade.function({grants})\ndef {name}():\n    return None\n")).await;
    }
    stage
}

/// Asks for all of them at once, as threads of a cell do.
async fn run_all(host: &Asking, function: &'static str, count: usize) -> Vec<Result<Value, HostError>> {
    let mut asked = JoinSet::new();
    for _ in 0..count {
        let host = host.clone();
        asked.spawn(async move { host.verb("run", vec![function.into()]).await });
    }
    asked.join_all().await
}

fn calls(stage: &Stage, caller: &str, callee: &'static str, count: usize) {
    stage.script.part(caller, move |_, host| async move {
        for answer in run_all(&host, callee, count).await {
            answer.unwrap();
        }
        Ok(Value::None)
    });
}

on_both! {
    async fn trees_wider_than_the_places_of_their_levels_end(database: &TestDatabase) {
        let stage = narrow(database).await;
        let (middle, inner) = (Arc::new(Count::default()), Arc::new(Count::default()));
        calls(&stage, "outer", "middle", 3);
        stage.script.part("middle", {
            let middle = Arc::clone(&middle);
            move |_, host| {
                let middle = Arc::clone(&middle);
                async move {
                    middle.enter();
                    for answer in run_all(&host, "inner", 3).await {
                        answer.unwrap();
                    }
                    middle.leave();
                    Ok(Value::None)
                }
            }
        });
        stage.script.part("inner", {
            let inner = Arc::clone(&inner);
            move |_, _| {
                let inner = Arc::clone(&inner);
                async move {
                    inner.enter();
                    tokio::task::yield_now().await;
                    inner.leave();
                    Ok(Value::None)
                }
            }
        });
        stage.work();
        let queued = stage.queue("outer", empty()).await;
        let waited = stage.start("outer", empty()).await.unwrap();
        assert_eq!(waited.state, RunState::Succeeded, "{:?}", waited.error);
        let queued = runs::wait(&stage.ctx, &ME, queued.run_id).await.unwrap();
        assert_eq!(queued.state, RunState::Succeeded, "{:?}", queued.error);
        assert_eq!((middle.most.load(Ordering::SeqCst), inner.most.load(Ordering::SeqCst)), (1, 1));
        assert_eq!(stage.executions(), 2 * (1 + 3 + 9));
    }

    async fn a_function_that_runs_itself_without_end_is_refused(database: &TestDatabase) {
        let stage = narrow(database).await;
        stage.script.part("outer", |_, host| async move {
            match host.verb("run", vec!["outer".into()]).await {
                Ok(below) => Ok(below),
                Err(HostError::Refused(why) | HostError::Failed(why) | HostError::Exhausted(why)) => {
                    Ok(Value::Str(why))
                }
            }
        });
        let run = stage.start("outer", empty()).await.unwrap();
        let why = "runs are nested 16 levels deep already, the most allowed; let the function loop instead of running itself";
        assert_eq!(run.output, Some(json!(why)));
        assert_eq!(stage.executions(), 1 + DEEPEST as usize);
    }

    async fn more_than_the_line_holds_are_refused_and_the_others_end(database: &TestDatabase) {
        let stage = narrow(database).await;
        let gate = Arc::new(Semaphore::new(0));
        stage.script.part("inner", {
            let gate = Arc::clone(&gate);
            move |_, _| {
                let gate = Arc::clone(&gate);
                async move {
                    gate.acquire().await.unwrap().forget();
                    Ok(Value::None)
                }
            }
        });
        // One is executed and 32 wait.
        stage.script.part("outer", move |_, host| {
            let gate = Arc::clone(&gate);
            async move {
                let mut asked = JoinSet::new();
                for _ in 0..34 {
                    let host = host.clone();
                    asked.spawn(async move { host.verb("run", vec!["inner".into()]).await });
                }
                let refused = asked.join_next().await.unwrap().unwrap().unwrap_err();
                gate.add_permits(33);
                for answer in asked.join_all().await {
                    answer.unwrap();
                }
                let (HostError::Refused(why) | HostError::Failed(why) | HostError::Exhausted(why)) = refused;
                Ok(Value::Str(why))
            }
        });
        let run = stage.start("outer", empty()).await.unwrap();
        assert_eq!(run.state, RunState::Succeeded, "{:?}", run.error);
        let why = run.output.unwrap();
        let why = why.as_str().unwrap();
        assert!(why.contains("32 nested runs wait for a cell already") && why.contains("`nested_at_once`"), "{why}");
    }

    async fn a_nested_run_that_waits_for_its_turn_holds_no_place(database: &TestDatabase) {
        let stage = narrow(database).await;
        // `limited` is executed for somebody else and needs `inner`, which needs the only place of its level.
        let (begun, go_on) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        stage.script.part("limited", {
            let (begun, go_on) = (Arc::clone(&begun), Arc::clone(&go_on));
            move |_, host| {
                let (begun, go_on) = (Arc::clone(&begun), Arc::clone(&go_on));
                async move {
                    begun.add_permits(1);
                    go_on.acquire().await.unwrap().forget();
                    go_on.add_permits(1);
                    host.verb("run", vec!["inner".into()]).await.unwrap();
                    Ok(Value::None)
                }
            }
        });
        stage.script.part("inner", |_, _| async { Ok(Value::None) });
        calls(&stage, "outer", "limited", 2);
        stage.work();
        let first = stage.queue("limited", empty()).await;
        begun.acquire().await.unwrap().forget();
        let outer = stage.queue("outer", empty()).await;
        // Both of what `outer` calls are recorded, and it is nobody's turn.
        let limited = || async {
            let all = stage.ctx.store.runs(&Default::default(), 9).await.unwrap();
            all.iter().filter(|run| run.parent == Some(outer.run_id)).count()
        };
        while limited().await < 2 {
            tokio::task::yield_now().await;
        }
        go_on.add_permits(1);
        for run in [first.run_id, outer.run_id] {
            while !runs::get(&stage.ctx, &ME, run).await.unwrap().state.is_final() {
                stage.ctx.clock.advance(Duration::from_millis(50));
                tokio::task::yield_now().await;
            }
            assert_eq!(runs::get(&stage.ctx, &ME, run).await.unwrap().state, RunState::Succeeded);
        }
    }
}
