//! The end of a simulation: nothing fails any more, time passes, and everything has to come to its end.

use std::time::Duration;

use model::run::{Run, RunState, Waiting};
use serde_json::json;
use server::app::runs;
use server::engine;

use super::brain::{ENDLESS, GRAPHS};
use super::{Faults, Passage, Server, Simulation, Violation};
use crate::world::ME;

/// Short enough that a server which is heard keeps its leases.
const STEP: Duration = Duration::from_millis(2_500);
/// While nothing is executed, there is no lease to keep.
const LONG_STEP: Duration = Duration::from_secs(20);
/// Two leases and some: by then others have taken over what a dead server had.
const TAKEN_OVER: usize = 16;
/// More than the longest sleep, all retries and all Runs that wait for one another take.
const ALL_OVER: usize = 400;
/// More calls than any step makes; a server that never stops asking is a fault, too.
const CALLS: usize = 5_000;

impl Simulation<'_> {
    pub(super) async fn come_to_rest(&mut self) -> Result<(), Violation> {
        self.note("nothing fails any more".to_owned());
        self.faults = Faults::default();
        self.replace().await;
        self.cancelled_runs_end().await?;
        self.all_runs_end("").await?;
        self.queue_more();
        self.all_runs_end("at the end, ").await?;
        self.nobody_waits()?;
        self.nothing_is_owned()?;
        self.nothing_was_left_behind()?;
        self.all_servers_stop().await
    }

    /// Without anybody's answer.
    async fn cancelled_runs_end(&mut self) -> Result<(), Violation> {
        self.calls_pass().await?;
        let mut left = None;
        for _ in 0..TAKEN_OVER {
            left = self.open_runs().await.into_iter().find(|run| run.cancelled.is_some());
            if left.is_none() {
                return Ok(());
            }
            self.step(STEP).await?;
        }
        Err(format!("a cancelled run goes on: {}", left.as_ref().map(described).unwrap_or_default()))
    }

    async fn all_runs_end(&mut self, when: &str) -> Result<(), Violation> {
        let mut step = STEP;
        for _ in 0..ALL_OVER {
            self.step(step).await?;
            let open = self.open_runs().await;
            if open.is_empty() {
                // What has ended may have triggered something.
                self.step(STEP).await?;
                if self.open_runs().await.is_empty() {
                    return Ok(());
                }
            }
            self.answer_all(&open);
            let is_carried_out = open.iter().any(|run| run.state == RunState::Running);
            step = if is_carried_out { STEP } else { LONG_STEP };
        }
        let left: Vec<String> = self.open_runs().await.iter().map(described).collect();
        Err(format!("{when}runs are left behind: {}", left.join("; ")))
    }

    /// Answers what asks, and cancels what never ends.
    fn answer_all(&mut self, open: &[Run]) {
        let Some(ctx) = self.servers.iter().flatten().next().map(|server| server.ctx.clone()) else { return };
        for run in open.iter().filter(|run| matches!(run.waiting, Some(Waiting::Person { .. }))) {
            let (ctx, run) = (ctx.clone(), run.run_id);
            tokio::spawn(async move { runs::answer(&ctx, &ME, run, json!("yes")).await });
        }
        let endless = |run: &&Run| run.key.name.as_str() == ENDLESS && run.cancelled.is_none();
        for run in open.iter().filter(endless) {
            let (ctx, run) = (ctx.clone(), run.run_id);
            tokio::spawn(async move { runs::cancel(&ctx, &ME, run).await });
        }
    }

    /// Some time passes, and all that is asked of the database is answered.
    async fn step(&mut self, by: Duration) -> Result<(), Violation> {
        self.calls_pass().await?;
        self.replace().await;
        self.graphs_are_woken().await?;
        self.advance(by);
        self.calls_pass().await
    }

    /// Nothing is under way: a Graph that waits while the Run of one of its nodes has ended was not woken by that end.
    async fn graphs_are_woken(&self) -> Result<(), Violation> {
        let waiting = self.runs_in(&[RunState::Waiting]).await;
        for run in waiting.iter().filter(|run| GRAPHS.contains(&run.key.name.as_str())) {
            for step in self.observer.steps(run.run_id).await.unwrap() {
                let Some(child) = step.child.filter(|_| step.finished_at.is_none()) else { continue };
                if self.observer.run(child).await.unwrap().is_some_and(|child| child.state.is_final()) {
                    return Err(format!("{} though its node's run {child} has ended", described(run)));
                }
            }
        }
        Ok(())
    }

    pub(super) async fn calls_pass(&mut self) -> Result<(), Violation> {
        for _ in 0..CALLS {
            self.idle.wait().await;
            // In the order in which they were asked.
            let Some(first) = self.waiting().first().cloned() else { return Ok(()) };
            self.let_through(&first, Passage::Pass);
        }
        Err("servers never stop asking the database".to_owned())
    }

    async fn open_runs(&self) -> Vec<Run> {
        self.runs_in(&[RunState::Queued, RunState::Running, RunState::Waiting]).await
    }

    fn nobody_waits(&self) -> Result<(), Violation> {
        let hangs = self
            .requests
            .iter()
            .find(|request| self.place_of(request.server).is_some() && !request.answer.is_finished());
        if let Some(request) = hangs {
            return Err(format!("somebody still waits who asked to {}", request.what));
        }
        let hangs = self
            .cancels
            .iter()
            .find(|cancel| self.place_of(cancel.server).is_some() && !cancel.answer.is_finished());
        hangs.map_or(Ok(()), |cancel| {
            Err(format!("somebody still waits for the cancel of run {}", cancel.run))
        })
    }

    fn nothing_is_owned(&self) -> Result<(), Violation> {
        for server in self.servers.iter().flatten() {
            let (runs, places) = (engine::under_way(&server.ctx), engine::places_taken(&server.ctx));
            if runs + places > 0 {
                let number = server.number;
                return Err(format!(
                    "server {number} holds {runs} runs and {places} places, though all have ended"
                ));
            }
        }
        Ok(())
    }

    /// A server that never died and kept its leases has recovered nothing, unless it could not know what it had to execute. Recovery
    /// sees to Runs that were forgotten, so without this it would hide that they were.
    fn nothing_was_left_behind(&self) -> Result<(), Violation> {
        if !self.is_gentle || self.disturbed.claims > 0 || self.disturbed.starts > 1 {
            return Ok(());
        }
        let recovered: u64 = self.servers.iter().flatten().map(|server| engine::recovered(&server.ctx)).sum();
        if recovered == 0 {
            return Ok(());
        }
        Err(format!("servers that lived on left {recovered} runs behind, which were recovered"))
    }

    async fn all_servers_stop(&mut self) -> Result<(), Violation> {
        self.servers.iter().flatten().for_each(Server::stop);
        self.calls_pass().await?;
        match self.servers.iter().flatten().find(|server| !server.has_stopped()) {
            Some(server) => Err(format!("server {} does not stop", server.number)),
            None => Ok(()),
        }
    }
}

fn described(run: &Run) -> String {
    format!(
        "run {} of `{}` is {} with lease {:?}, due {:?}, waiting {:?}, cancelled {}",
        run.run_id,
        run.key.name,
        run.state.as_str(),
        run.lease,
        run.how.due_at,
        run.waiting,
        run.cancelled.is_some()
    )
}
