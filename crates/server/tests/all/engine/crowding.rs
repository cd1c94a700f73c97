//! Runs that callers wait for share a bounded number of cells. Further ones stand in a bounded line, and a Run whose caller does not
//! wait for its turn is queued.

use std::sync::Arc;
use std::time::Duration;

use model::run::RunState;
use sandbox::Value;
use server::app::runs::{self, StartRun};
use store::RunFilter;
use store::testing::TestDatabase;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::script::{Stage, empty, function, request};
use crate::world::ME;

/// How many wait in line for each place.
const LINE: usize = 32;

/// A function that goes on when the gate is opened for it.
async fn gated(database: &TestDatabase, places: usize) -> (Stage, Arc<Semaphore>) {
    let stage = Stage::configured(database, |config| {
        config.engine.waited_at_once = places;
        config.engine.at_once = 1;
    })
    .await;
    stage.add(&[&function("busy", "")]).await;
    let gate = Arc::new(Semaphore::new(0));
    stage.script.part("busy", {
        let gate = Arc::clone(&gate);
        move |_, _| {
            let gate = Arc::clone(&gate);
            async move {
                gate.acquire().await.unwrap().forget();
                Ok(Value::None)
            }
        }
    });
    (stage, gate)
}

fn start_all(
    stage: &Stage,
    count: usize,
    max_wait: Option<Duration>,
) -> JoinSet<Result<RunState, &'static str>> {
    let mut started = JoinSet::new();
    for _ in 0..count {
        let ctx = stage.ctx.clone();
        started.spawn(async move {
            let request = StartRun { max_wait, ..request("busy", empty()) };
            let ended = runs::start(&ctx, &ME, request).await;
            ended.map(|run| run.state).map_err(|error| error.code())
        });
    }
    started
}

store::on_both! {
    async fn callers_who_do_not_wait_for_their_turn_get_no_cells_beyond_the_limit(database: &TestDatabase) {
        const CALLERS: usize = 10;
        let (stage, gate) = gated(database, 2).await;
        let started = start_all(&stage, CALLERS, Some(Duration::ZERO));
        let queued = RunFilter { states: vec![RunState::Queued], ..RunFilter::default() };
        while stage.ctx.store.runs(&queued, 100).await.unwrap().len() + stage.executions() < CALLERS {
            tokio::task::yield_now().await;
        }
        assert_eq!(stage.executions(), 2);
        gate.add_permits(CALLERS);
        stage.work();
        assert_eq!(started.join_all().await, [Ok(RunState::Succeeded); CALLERS]);
        stage.close().await;
    }

    async fn callers_beyond_the_line_are_refused_and_the_others_get_their_turn(database: &TestDatabase) {
        const REFUSED: usize = 3;
        let (stage, gate) = gated(database, 1).await;
        let mut started = start_all(&stage, 1 + LINE + REFUSED, None);
        for _ in 0..REFUSED {
            assert_eq!(started.join_next().await.unwrap().unwrap(), Err("crowded"));
        }
        // Whoever has the place may begin after the others have heard that there is none.
        while stage.executions() == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(stage.executions(), 1);
        gate.add_permits(1 + LINE);
        assert_eq!(started.join_all().await, [Ok(RunState::Succeeded); 1 + LINE]);
        stage.close().await;
    }
}
