//! The servers that are simulated: each is the engine, the triggers and the scheduler over a store whose calls wait at the gate.

use std::sync::Arc;

use sandbox::CancellationToken;
use server::clock::Clock;
use server::engine::{self, Executor, Stop};
use server::ids::Ids;
use server::{Config, Ctx, scheduler, triggers};
use store::testing::{Gate, TestDatabase};
use tokio::task::JoinHandle;

use crate::engine::script::Script;

pub(super) struct Server {
    /// What its calls are known by at the gate. A server that takes another's place has a number of its own.
    pub(super) number: usize,
    pub(super) ctx: Ctx,
    taking: CancellationToken,
    running: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
}

/// What all servers share.
pub(super) struct Shared {
    pub(super) gate: Gate,
    pub(super) clock: Clock,
    pub(super) ids: Ids,
    pub(super) script: Arc<Script>,
}

impl Server {
    pub(super) async fn start(number: usize, shared: &Shared, database: &TestDatabase) -> Server {
        let mut config =
            Config::new(std::env::temp_dir().join("nothing-is-kept-here"), database.location().clone(), None);
        config.engine.name = format!("server {number}");
        // Few places, so that some Runs wait for one.
        config.engine.at_once = 3;
        let executor: Arc<dyn Executor> = Arc::clone(&shared.script) as Arc<dyn Executor>;
        let (clock, ids) = (shared.clock.clone(), shared.ids.clone());
        let ctx = Ctx::open_executing(config, clock, ids, executor).await.unwrap();
        ctx.store.pass_through(&shared.gate, number);
        let (taking, running) = (CancellationToken::new(), CancellationToken::new());
        let stop = Stop { taking: taking.clone(), running: running.clone() };
        let tasks = vec![
            tokio::spawn(engine::work_until(ctx.clone(), stop)),
            tokio::spawn(triggers::watch(ctx.clone(), taking.clone())),
            tokio::spawn(scheduler::keep_time(ctx.clone(), taking.clone())),
        ];
        Server { number, ctx, taking, running, tasks }
    }

    /// It takes no more Runs, and those that are under way end or are let go.
    pub(super) fn stop(&self) {
        self.taking.cancel();
        self.running.cancel();
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.taking.is_cancelled()
    }

    pub(super) fn has_stopped(&self) -> bool {
        self.tasks.iter().all(JoinHandle::is_finished)
    }
}
