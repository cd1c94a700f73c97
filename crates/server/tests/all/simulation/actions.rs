//! What people do, and what befalls servers, while the simulation runs.

use std::time::Duration;

use model::ids::RunId;
use model::run::{Run, RunState};
use serde_json::json;
use server::app::runs::{self, StartRun, Target};
use server::{Ctx, Error};
use store::RunFilter;
use tokio::task::JoinHandle;

use super::Simulation;
use super::brain::{CALLED, LIMITED, STARTED};
use crate::engine::script::request;
use crate::world::{ME, name};

/// What is drawn below this loses no Run, even if it cannot be executed again.
const GENTLE: u64 = 80;

/// Somebody who waits for an answer about a Run.
pub(super) struct Request {
    pub(super) what: String,
    /// The server that was asked.
    pub(super) server: usize,
    pub(super) idempotency_key: Option<String>,
    pub(super) answer: JoinHandle<Result<Run, Error>>,
}

pub(super) struct Cancel {
    pub(super) server: usize,
    pub(super) run: RunId,
    pub(super) answer: JoinHandle<Result<Vec<RunId>, Error>>,
}

impl Simulation<'_> {
    pub(super) async fn act(&mut self) {
        match self.chance.below(if self.is_gentle { GENTLE } else { 100 }) {
            0..20 => self.start(true),
            20..36 => self.start(false),
            36..46 => self.cancel().await,
            46..51 => self.answer().await,
            51..54 => self.start_again().await,
            54..56 => self.wait_for_one().await,
            56..68 => {
                let by = self.chance.between(5, 900);
                self.let_time_pass(Duration::from_millis(by)).await;
            }
            68..GENTLE => {
                let by = self.chance.between(1, 3);
                self.let_time_pass(Duration::from_secs(by)).await;
            }
            GENTLE..84 => self.hang_up(),
            84..88 => {
                // Past every lease.
                let by = self.chance.between(16, 90);
                self.advance(Duration::from_secs(by));
            }
            88..94 => self.switch_database(),
            94..97 => self.kill(),
            97..99 => self.stop(),
            _ => self.replace().await,
        }
    }

    fn start(&mut self, is_waited: bool) {
        let Some((server, ctx)) = self.any_server() else { return };
        let function = *self.chance.one(&STARTED).unwrap();
        let input = match function {
            "calls" => json!({ "callee": self.chance.one(&CALLED) }),
            _ => json!({}),
        };
        let mut start = request(function, input);
        if !is_waited && self.chance.in_hundred(30) {
            start.due_at = Some(ctx.clock.now() + Duration::from_secs(self.chance.between(1, 30)));
        }
        if function == "plain" && self.chance.in_hundred(40) {
            start.idempotency_key = Some(format!("key {}", self.chance.below(3)));
        }
        self.ask(server, ctx, function, start, is_waited);
    }

    fn ask(&mut self, server: usize, ctx: Ctx, function: &str, start: StartRun, is_waited: bool) {
        let what = format!("{} `{function}`", if is_waited { "start" } else { "queue" });
        self.note(format!("server {server} is asked to {what}"));
        let idempotency_key = start.idempotency_key.clone();
        let answer = tokio::spawn(async move {
            if is_waited { runs::start(&ctx, &ME, start).await } else { runs::queue(&ctx, &ME, start).await }
        });
        self.requests.push(Request { what, server, idempotency_key, answer });
    }

    async fn cancel(&mut self) {
        let open = self.runs_in(&[RunState::Queued, RunState::Running, RunState::Waiting]).await;
        let Some((server, ctx)) = self.any_server() else { return };
        let Some(run) = self.chance.one(&open).map(|run| run.run_id) else { return };
        self.note(format!("server {server} is asked to cancel run {run}"));
        let answer = tokio::spawn(async move { runs::cancel(&ctx, &ME, run).await });
        self.cancels.push(Cancel { server, run, answer });
    }

    async fn answer(&mut self) {
        let waiting = self.runs_in(&[RunState::Waiting]).await;
        let Some((server, ctx)) = self.any_server() else { return };
        let Some(run) = self.chance.one(&waiting).map(|run| run.run_id) else { return };
        self.note(format!("server {server} is told the answer for run {run}"));
        tokio::spawn(async move { runs::answer(&ctx, &ME, run, json!("yes")).await });
    }

    async fn start_again(&mut self) {
        let ended = self.runs_in(&[RunState::Succeeded, RunState::Failed, RunState::Cancelled]).await;
        let Some((server, ctx)) = self.any_server() else { return };
        let Some(run) = self.chance.one(&ended).cloned() else { return };
        let target = run.version_id.map_or(Target::Live(name(run.key.name.as_str())), Target::Exact);
        let start = StartRun::of(target, run.input.as_object().cloned().unwrap_or_default());
        let is_waited = self.chance.in_hundred(50);
        self.ask(server, ctx, run.key.name.as_str(), start, is_waited);
    }

    async fn wait_for_one(&mut self) {
        let open = self.runs_in(&[RunState::Queued, RunState::Running]).await;
        let Some((server, ctx)) = self.any_server() else { return };
        let Some(run) = self.chance.one(&open).map(|run| run.run_id) else { return };
        let what = format!("wait for run {run}");
        self.note(format!("server {server} is asked to {what}"));
        let answer = tokio::spawn(async move { runs::wait(&ctx, &ME, run).await });
        self.requests.push(Request { what, server, idempotency_key: None, answer });
    }

    /// Somebody who waits goes away, and with them whatever their request was doing.
    fn hang_up(&mut self) {
        let waits = |request: &&Request| !request.answer.is_finished();
        let waiting: Vec<&Request> = self.requests.iter().filter(waits).collect();
        let Some(request) = self.chance.one(&waiting) else { return };
        request.answer.abort();
        let what = request.what.clone();
        self.note(format!("who asked to {what} goes away"));
    }

    /// The database of one server goes, or comes back.
    fn switch_database(&mut self) {
        let place = self.chance.below(self.servers.len() as u64) as usize;
        self.faults.is_down[place] = !self.faults.is_down[place];
        let is = if self.faults.is_down[place] { "goes" } else { "comes back" };
        self.note(format!("the database of place {place} {is}"));
    }

    /// Nothing of it is heard any more.
    fn kill(&mut self) {
        let Some(place) = self.chance.one(&self.live()).copied() else { return };
        let Some(server) = self.servers[place].take() else { return };
        self.note(format!("server {} dies", server.number));
    }

    fn stop(&mut self) {
        let Some(place) = self.chance.one(&self.live()).copied() else { return };
        let Some(server) = &self.servers[place] else { return };
        server.stop();
        let number = server.number;
        self.note(format!("server {number} is stopped"));
    }

    /// A server that is gone or has stopped is followed by another.
    pub(super) async fn replace(&mut self) {
        for place in 0..self.servers.len() {
            if self.servers[place].as_ref().is_none_or(super::Server::has_stopped) {
                self.start_server(place).await;
            }
        }
    }

    /// One that takes requests.
    fn any_server(&mut self) -> Option<(usize, Ctx)> {
        let servers: Vec<(usize, Ctx)> = self
            .servers
            .iter()
            .flatten()
            .filter(|server| !server.is_stopping())
            .map(|server| (server.number, server.ctx.clone()))
            .collect();
        self.chance.one(&servers).cloned()
    }

    /// In the order in which they were made.
    pub(super) async fn runs_in(&self, states: &[RunState]) -> Vec<Run> {
        let filter = RunFilter { states: states.to_vec(), ..RunFilter::default() };
        let mut runs = self.observer.runs(&filter, 10_000).await.unwrap();
        runs.sort_by_key(|run| run.run_id);
        runs
    }

    /// Those with a key that may be used up, and one other, in the queue, to see that nothing holds up what comes later.
    pub(super) fn queue_more(&mut self) {
        let other = *self.chance.one(&STARTED).unwrap();
        for name in LIMITED.into_iter().chain([other]) {
            let Some((server, ctx)) = self.any_server() else { return };
            let input = if name == "calls" { json!({ "callee": "busy" }) } else { json!({}) };
            self.ask(server, ctx, name, request(name, input), false);
        }
    }
}
