//! Following Runs: what one Run does until it ends, or which Runs end.
//!
//! A Run that this process executes wakes its followers, and they read what is new. What another process does with one is polled;
//! its end is signalled.

mod endings;
mod nodes;

use std::collections::BTreeSet;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use model::access::Access;
use model::entry::EntryKind;
use model::function::run_options::Record;
use model::ids::RunId;
use model::run::Run;
use model::run::call::Call;
use model::run::output::OutputChunk;
use model::run::place::RunPlace;
use model::run::step::Step;
use tokio::sync::futures::Notified;

use super::nodes::{NodeOutput, NodeProgress};
use super::seen_steps::SeenSteps;
use crate::app::runs;
use crate::ctx::Ctx;
use crate::engine::{Live, LiveUpdate, WritingPlaces, Written};
use crate::error::Error;
use crate::signals::RunSignal;

pub use self::endings::{EndedRun, Endings};

/// What a Run does on another server, before it ends or waits, is polled this often.
const LOOK: Duration = Duration::from_millis(250);
const AT_ONCE: u32 = 100;

#[derive(Clone, Debug)]
pub enum What {
    /// It went on to another state, or to another try.
    State(Box<Run>),
    Step(Box<Step>),
    /// Of a Graph: a node execution has begun, or it has ended; its position tells it from others.
    Node(Box<NodeProgress>),
    /// Of a Graph: a value has left a node execution.
    Output(Box<NodeOutput>),
    /// It has begun, or it has ended; its position tells it from others.
    Call(Box<Call>),
    Printed(OutputChunk),
    /// A language model goes on writing; a reader who comes back hears it from its beginning, or its Step.
    Written(Written),
}

/// One thing that happened.
#[derive(Clone, Debug)]
pub struct News {
    pub what: What,
    /// Who has seen this and comes back goes on from here.
    pub place: RunPlace,
}

/// Someone who follows one Run to its end.
pub struct Follower {
    ctx: Ctx,
    access: Access,
    run: RunId,
    place: RunPlace,
    live: Option<Following>,
    settled: RunSignal,
    /// What is seen of its Steps, once it was looked at.
    seen: Option<SeenSteps>,
    /// Calls that were told with their ends, behind those of the place.
    ended_calls: BTreeSet<u32>,
    /// The last Call that was told at all.
    last_call: u32,
    /// Only its states are reported.
    is_silent: bool,
    /// Its Steps are node executions.
    is_graph: bool,
}

/// A Run that is executed here.
struct Following {
    live: Arc<Live>,
    /// How many of the things that were told of Calls were read.
    told: usize,
    /// How much of what language models are writing was read.
    writing: WritingPlaces,
    /// Whether its record was looked at.
    is_known: bool,
    /// What it said of its Steps when all of them were read; absent if they were not.
    steps: Option<u32>,
}

impl Follower {
    pub fn new(ctx: &Ctx, access: &Access, run: RunId) -> Follower {
        Follower::from(ctx, access, run, RunPlace::default())
    }

    /// Of what comes after a place. Whether the Run may be seen is asked each time it is looked at.
    pub fn from(ctx: &Ctx, access: &Access, run: RunId, place: RunPlace) -> Follower {
        let (ctx, access) = (ctx.clone(), access.clone());
        Follower {
            settled: ctx.signals.run(run),
            ctx,
            access,
            run,
            place,
            live: None,
            seen: None,
            ended_calls: BTreeSet::new(),
            last_call: 0,
            is_silent: false,
            is_graph: false,
        }
    }

    /// What has happened since the last time, as soon as something has; nothing when it had ended then.
    pub async fn next(&mut self) -> Result<Vec<News>, Error> {
        let ctx = self.ctx.clone();
        while self.place.state.is_none_or(|state| !state.is_final()) {
            let mut rung = pin!(ctx.engine.running.changed());
            rung.as_mut().enable();
            if self.live.is_none() {
                self.live = ctx.engine.running.look(self.run).map(Following::of);
            }
            let news = match self.live.take() {
                Some(following) => self.follow(following).await?,
                None => self.look(rung).await?,
            };
            if !news.is_empty() {
                return Ok(news);
            }
        }
        Ok(Vec::new())
    }

    /// Waits for what it does here next.
    async fn follow(&mut self, mut following: Following) -> Result<Vec<News>, Error> {
        let mut news = Vec::new();
        if !following.is_known {
            following.is_known = true;
            let run = self.looked_at().await?;
            // The end is reported after everything else.
            if !run.state.is_final() {
                self.enter(run, &mut news);
            }
        }
        let live = Arc::clone(&following.live);
        let is_over = loop {
            let mut rung = pin!(live.changed());
            rung.as_mut().enable();
            let steps = live.steps();
            if following.steps != Some(steps) {
                let is_all = self.tell_steps(false, &mut news).await?;
                following.steps = is_all.then_some(steps);
            }
            match live.look(&mut self.place, following.told, &mut following.writing) {
                LiveUpdate::Gone | LiveUpdate::Found { over: true, .. } => break true,
                LiveUpdate::Found { printed, calls, written, .. } => {
                    news.extend(printed.into_iter().map(|chunk| self.news(What::Printed(chunk))));
                    news.extend(written.into_iter().map(|written| self.news(What::Written(written))));
                    following.told += calls.len();
                    news.extend(calls.into_iter().filter_map(|call| self.tell_call(call)));
                }
            }
            if !news.is_empty() {
                break false;
            }
            rung.await;
        };
        // When its code is over, what its record says comes next.
        if !is_over {
            self.live = Some(following);
        }
        Ok(news)
    }

    /// What its record says, or a while without news.
    async fn look(&mut self, rung: Pin<&mut Notified<'_>>) -> Result<Vec<News>, Error> {
        // The state first: what is printed and done before an end is there when the end is.
        let run = self.looked_at().await?;
        let mut news = Vec::new();
        self.turn_to(run.attempt);
        if !self.tell_steps(run.state.is_final(), &mut news).await? {
            return Ok(news);
        }
        if run.state.is_final() {
            self.tell_recorded(&mut news).await?;
        }
        self.enter(run, &mut news);
        if news.is_empty() {
            tokio::select! {
                biased;
                () = rung => {}
                () = self.settled.changed() => {}
                () = self.ctx.clock.wait_until(self.ctx.clock.now() + LOOK) => {}
            }
        }
        Ok(news)
    }

    async fn looked_at(&mut self) -> Result<Run, Error> {
        let run = runs::touched(&self.ctx, &self.access, self.run).await?;
        if self.seen.is_none() {
            self.seen = Some(SeenSteps::of(&self.ctx, &self.access, &run).await?);
        }
        self.is_silent = run.how.record == Record::None;
        self.is_graph = run.key.kind == EntryKind::Graph;
        Ok(runs::seen_run(&self.access, run))
    }

    /// A retry is reported from its beginning.
    fn turn_to(&mut self, attempt: u32) {
        if self.place.attempt != attempt {
            self.place = RunPlace { attempt, ..RunPlace::default() };
            self.ended_calls.clear();
            self.last_call = 0;
        }
    }

    fn enter(&mut self, run: Run, news: &mut Vec<News>) {
        self.turn_to(run.attempt);
        if self.place.state != Some(run.state) {
            self.place.state = Some(run.state);
            news.push(self.news(What::State(Box::new(run))));
        }
    }

    /// Those that have ended, without a gap: one that is asked for in another thread may yet be journaled there. When the Run has
    /// ended, none will be. False if there are more to be told.
    async fn tell_steps(&mut self, is_final: bool, news: &mut Vec<News>) -> Result<bool, Error> {
        if self.is_silent {
            return Ok(true);
        }
        if self.is_graph {
            return self.tell_nodes(news).await;
        }
        let steps = self.ctx.store.steps_after(self.run, self.place.steps).await?;
        for step in steps {
            let is_next = step.position == self.place.steps + 1 && step.finished_at.is_some();
            if !(is_next || is_final && step.finished_at.is_some()) {
                break;
            }
            self.place.steps = step.position;
            // Nothing is shown of a Run that was not looked at.
            let Some(seen) = &self.seen else { continue };
            let step = seen.step(step);
            news.push(self.news(What::Step(Box::new(step))));
        }
        Ok(true)
    }

    /// What is recorded at the end alone, as far as it was not seen when it happened.
    async fn tell_recorded(&mut self, news: &mut Vec<News>) -> Result<(), Error> {
        let output = self.ctx.store.output(self.run).await?;
        while let Some(chunk) = self.place.print(&output) {
            news.push(self.news(What::Printed(chunk)));
        }
        for call in self.ctx.store.calls(self.run).await? {
            news.extend(self.tell_call(call));
        }
        Ok(())
    }

    /// Unless it was told before.
    fn tell_call(&mut self, call: Call) -> Option<News> {
        let is_seen = self.access.covers(&call.function);
        let has_ended = call.duration_us.is_some();
        let known = call.position <= self.place.calls || self.ended_calls.contains(&call.position);
        if known || (!has_ended && call.position <= self.last_call) {
            return None;
        }
        self.last_call = self.last_call.max(call.position);
        if has_ended {
            self.ended_calls.insert(call.position);
            while self.ended_calls.remove(&(self.place.calls + 1)) {
                self.place.calls += 1;
            }
        }
        is_seen.then(|| self.news(What::Call(Box::new(call))))
    }

    fn news(&self, what: What) -> News {
        News { what, place: self.place }
    }
}

impl Following {
    fn of(live: Live) -> Following {
        Following { live: Arc::new(live), told: 0, writing: Vec::new(), is_known: false, steps: None }
    }
}
