//! The composition root: opens what a server needs, starts what its roles ask for, and ends it in order.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use model::ids::NodeId;
use sandbox::CancellationToken;
use store::Location;
use tokio::task::JoinHandle;

use super::roles::Role;
use crate::app::operations::retention;
use crate::config::ServeConfig;
use crate::ctx::Ctx;
use crate::engine::{self, Introduction, Stop};
use crate::error::Error;
use crate::http::{self, BindError, Door, HttpConfig, Listener};
use crate::serving::Serving;
use crate::{scheduler, traces, triggers};

/// A server that has the right to serve its brain. It answers and executes nothing until [`serve`].
pub struct Server {
    ctx: Ctx,
    config: ServeConfig,
    stop: Stop,
    serving: Serving,
}

impl Server {
    /// Fails if another process serves this brain and only one may.
    pub fn begin(ctx: Ctx, location: &Location, config: ServeConfig, stop: Stop) -> Result<Server, Error> {
        let serving = Serving::begin(location, Some(ctx.engine.node()))?;
        ctx.engine.set_executes(config.roles.has(Role::Engine));
        Ok(Server { ctx, config, stop, serving })
    }

    /// Takes over what a killed predecessor left, and listens. Connections wait until [`serve`].
    pub async fn bind(self) -> Result<BoundServer, BindError> {
        take_over(&self.ctx, self.serving.predecessor).await;
        let listener = http::bind(&self.config.listen).await?;
        // Servers of one machine differ by their ports.
        let (host, port) = (&self.ctx.engine.config.name, listener.address.port());
        let name = self.config.node_name.clone().unwrap_or_else(|| format!("{host}:{port}"));
        self.ctx.engine.introduce(Introduction { name, roles: self.config.roles.to_string() });
        let config = HttpConfig {
            names: self.config.names.clone(),
            trusted_proxies: self.config.trusted_proxies.clone(),
            rate: self.config.rate,
            is_api: self.config.roles.has(Role::Http),
            ..HttpConfig::default()
        };
        let door = Door::new(self.ctx.clone(), config, self.stop.taking.clone());
        Ok(BoundServer { server: self, listener, door })
    }
}

/// A server that listens.
pub struct BoundServer {
    server: Server,
    listener: Listener,
    pub door: Door,
}

impl BoundServer {
    pub fn address(&self) -> SocketAddr {
        self.listener.address
    }
}

/// Serves until it is stopped and running work has ended. `on_stopping` gets the number of running runs.
pub async fn serve(bound: BoundServer, on_stopping: impl FnOnce(usize)) {
    let BoundServer { server, listener, door } = bound;
    let Server { ctx, config, stop, serving } = server;
    let roles = &config.roles;
    let mut tasks = vec![
        tokio::spawn(http::serve(listener, door)),
        tokio::spawn(retention::keep(ctx.clone(), stop.taking.clone())),
    ];
    if roles.has(Role::Triggers) {
        tasks.push(tokio::spawn(triggers::watch(ctx.clone(), stop.taking.clone())));
    }
    if roles.has(Role::Scheduler) {
        tasks.push(tokio::spawn(scheduler::keep_time(ctx.clone(), stop.taking.clone())));
    }
    // Until the end: Runs that are under way can still be cancelled on another server.
    let listening = tokio::spawn({
        let store = ctx.store.clone();
        async move { store.listen().await }
    });
    // Runs that end while the server stops are exported, too.
    let all_ended = CancellationToken::new();
    let exporting = config
        .collector
        .map(|collector| tokio::spawn(traces::export(ctx.clone(), collector, all_ended.clone())));
    execute(&ctx, &stop, config.drain, on_stopping).await;
    listening.abort();
    for task in tasks {
        joined(task).await;
    }
    all_ended.cancel();
    if let Some(exporting) = exporting {
        joined(exporting).await;
    }
    drop(serving);
}

/// A task that panicked has been reported; there is nothing more to do for it here.
async fn joined(task: JoinHandle<()>) {
    let _ = task.await;
}

/// Resumes at once what a server that was killed left behind.
async fn take_over(ctx: &Ctx, predecessor: Option<NodeId>) {
    let Some(node) = predecessor else { return };
    if let Err(error) = engine::recover_from(ctx, &[node]).await {
        tracing::warn!("cannot recover the runs of the previous server before their leases expire: {error}");
    }
}

/// Executes queued runs until it is stopped; then running ones have this long to end.
async fn execute(ctx: &Ctx, stop: &Stop, drain: Duration, on_stopping: impl FnOnce(usize)) {
    let mut working = pin!(engine::work_until(ctx.clone(), stop.clone()));
    let is_over = tokio::select! {
        biased;
        () = stop.taking.cancelled() => false,
        () = &mut working => true,
    };
    on_stopping(engine::under_way(ctx));
    if is_over {
        return;
    }
    tokio::select! {
        () = &mut working => {}
        () = ctx.clock.wait_until(ctx.clock.now() + drain) => {
            stop.running.cancel();
            working.await;
        }
    }
}
