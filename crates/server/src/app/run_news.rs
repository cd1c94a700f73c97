//! News of Runs, for whoever looks on from another process: what one Run does until it ends, or which Runs end.

use std::time::Duration;

use model::event::{Event, EventKind};
use model::ids::RunId;
use model::output::OutputChunk;
use model::run::{Run, RunState};
use model::step::Step;

use super::error::Error;
use super::run_lists::{RunLine, lines};
use super::runs;
use crate::ctx::Ctx;

/// Other processes do not ring here.
const LOOK: Duration = Duration::from_millis(250);
const AT_ONCE: u32 = 100;

#[derive(Clone, Debug)]
pub enum News {
    /// It went on to another state, or to another try.
    State(Box<Run>),
    Step(Box<Step>),
    Printed(OutputChunk),
}

/// One Run, looked at again and again.
pub struct Follower {
    ctx: Ctx,
    run: RunId,
    state: Option<(RunState, u32)>,
    steps: usize,
    printed: usize,
}

impl Follower {
    pub fn new(ctx: &Ctx, run: RunId) -> Follower {
        Follower { ctx: ctx.clone(), run, state: None, steps: 0, printed: 0 }
    }

    /// What has happened since the last time, as soon as something has; nothing when it had ended then.
    pub async fn next(&mut self) -> Result<Vec<News>, Error> {
        while self.state.is_none_or(|(state, _)| !state.is_final()) {
            // The state first: what is printed and done before an end is there when the end is.
            let run = runs::get(&self.ctx, self.run).await?;
            let mut news = self.happened().await?;
            let state = Some((run.state, run.attempt));
            if state != self.state {
                self.state = state;
                news.push(News::State(Box::new(run)));
            }
            if !news.is_empty() {
                return Ok(news);
            }
            look_again(&self.ctx).await;
        }
        Ok(Vec::new())
    }

    async fn happened(&mut self) -> Result<Vec<News>, Error> {
        let steps = self.ctx.store.steps(self.run).await?;
        let finished = steps.into_iter().take_while(|step| step.finished_at.is_some());
        let steps: Vec<Step> = finished.skip(self.steps).collect();
        self.steps += steps.len();
        let printed: Vec<OutputChunk> =
            self.ctx.store.output(self.run).await?.into_iter().skip(self.printed).collect();
        self.printed += printed.len();
        Ok(steps
            .into_iter()
            .map(|step| News::Step(Box::new(step)))
            .chain(printed.into_iter().map(News::Printed))
            .collect())
    }
}

/// Runs in the order in which they end.
pub struct Endings {
    ctx: Ctx,
    seq: u64,
}

impl Endings {
    /// Of those that end from now on.
    pub async fn from_now(ctx: &Ctx) -> Result<Endings, Error> {
        let mut seq = 0;
        for kind in [EventKind::RunFinished, EventKind::RunFailed, EventKind::RunCancelled] {
            seq = seq.max(ctx.store.last_event(&kind).await?);
        }
        Ok(Endings { ctx: ctx.clone(), seq })
    }

    /// Those that have ended since the last time, as soon as one has.
    pub async fn next(&mut self) -> Result<Vec<RunLine>, Error> {
        loop {
            let events = self.ctx.store.events_after(self.seq, AT_ONCE).await?;
            self.seq = events.last().map_or(self.seq, |event| event.seq);
            let mut ended = Vec::new();
            for run in events.iter().filter_map(ended_run) {
                // One that is pruned already leaves nothing to tell.
                ended.extend(self.ctx.store.run(run).await?);
            }
            if !ended.is_empty() {
                return lines(&self.ctx, &ended).await;
            }
            if events.is_empty() {
                look_again(&self.ctx).await;
            }
        }
    }
}

fn ended_run(event: &Event) -> Option<RunId> {
    match event.fact.kind {
        EventKind::RunFinished | EventKind::RunFailed | EventKind::RunCancelled => {
            event.fact.data["run_id"].as_str()?.parse().ok()
        }
        _ => None,
    }
}

async fn look_again(ctx: &Ctx) {
    ctx.clock.wait_until(ctx.clock.now() + LOOK).await;
}
