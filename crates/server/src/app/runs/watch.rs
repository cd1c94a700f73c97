//! Following Runs: what one Run does until it ends, or which Runs end.
//!
//! A Run that this process carries out wakes its followers, and they read what is new. What another process does with one is polled;
//! its end is signalled.

use std::collections::BTreeSet;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use model::access::verb::Verb;
use model::access::{Access, Authority};
use model::event::{Event, EventKind};
use model::function::run_options::Record;
use model::ids::RunId;
use model::run::Run;
use model::run::call::Call;
use model::run::output::OutputChunk;
use model::run::place::RunPlace;
use model::run::step::Step;
use store::Topic;
use tokio::sync::futures::Notified;

use super::lists::{RunLine, lines};
use super::records::seen_step;
use crate::app::runs;
use crate::ctx::Ctx;
use crate::engine::{Live, Looked};
use crate::error::Error;
use crate::signals::{self, RunSignal, Signal};

/// What a Run does on another server, before it ends or waits, is polled this often.
const LOOK: Duration = Duration::from_millis(250);
const AT_ONCE: u32 = 100;

#[derive(Clone, Debug)]
pub enum What {
    /// It went on to another state, or to another try.
    State(Box<Run>),
    Step(Box<Step>),
    /// It has begun, or it has ended; its position tells it from others.
    Call(Box<Call>),
    Printed(OutputChunk),
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
    /// Of the Run, once it was looked at.
    authority: Option<Arc<Authority>>,
    /// Calls that were told with their ends, behind those of the place.
    ended_calls: BTreeSet<u32>,
    /// The last Call that was told at all.
    last_call: u32,
    /// Only its states are reported.
    is_silent: bool,
}

/// A Run that is executed here.
struct Following {
    live: Arc<Live>,
    /// How many of the things that were told of Calls were read.
    told: usize,
    /// How many Steps it had ended when they were read; absent if they were not.
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
            authority: None,
            ended_calls: BTreeSet::new(),
            last_call: 0,
            is_silent: false,
        }
    }

    /// What has happened since the last time, as soon as something has; nothing when it had ended then.
    pub async fn next(&mut self) -> Result<Vec<News>, Error> {
        let ctx = self.ctx.clone();
        while self.place.state.is_none_or(|state| !state.is_final()) {
            let mut rung = pin!(ctx.engine.running.rung());
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
        if following.steps.is_none() {
            let run = self.looked_at().await?;
            self.is_silent = run.how.record == Record::None;
            // The end is reported after everything else.
            if !run.state.is_final() {
                self.enter(run, &mut news);
            }
        }
        let live = Arc::clone(&following.live);
        let is_over = loop {
            let mut rung = pin!(live.rung());
            rung.as_mut().enable();
            let steps = live.steps();
            if following.steps != Some(steps) {
                following.steps = Some(steps);
                self.tell_steps(false, &mut news).await?;
            }
            match live.look(&mut self.place, following.told) {
                Looked::Gone | Looked::Found { over: true, .. } => break true,
                Looked::Found { printed, calls, .. } => {
                    news.extend(printed.into_iter().map(|chunk| self.news(What::Printed(chunk))));
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
        self.is_silent = run.how.record == Record::None;
        self.turn_to(run.attempt);
        self.tell_steps(run.state.is_final(), &mut news).await?;
        if run.state.is_final() {
            self.tell_recorded(&mut news).await?;
        }
        self.enter(run, &mut news);
        if news.is_empty() {
            tokio::select! {
                biased;
                () = rung => {}
                () = self.settled.rung() => {}
                () = self.ctx.clock.wait_until(self.ctx.clock.now() + LOOK) => {}
            }
        }
        Ok(news)
    }

    async fn looked_at(&mut self) -> Result<Run, Error> {
        let run = runs::touched(&self.ctx, &self.access, self.run).await?;
        self.authority = Some(Arc::clone(&run.authority));
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
    /// ended, none will be.
    async fn tell_steps(&mut self, is_final: bool, news: &mut Vec<News>) -> Result<(), Error> {
        if self.is_silent {
            return Ok(());
        }
        let steps = self.ctx.store.steps_after(self.run, self.place.steps).await?;
        for step in steps {
            let is_next = step.position == self.place.steps + 1 && step.finished_at.is_some();
            if !(is_next || is_final && step.finished_at.is_some()) {
                break;
            }
            self.place.steps = step.position;
            // Nothing is shown of a Run that was not looked at.
            let Some(authority) = &self.authority else { continue };
            let step = seen_step(&self.access, authority, step);
            news.push(self.news(What::Step(Box::new(step))));
        }
        Ok(())
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
        Following { live: Arc::new(live), told: 0, steps: None }
    }
}

/// A Run that has ended, with the sequence number of the Event that says so.
#[derive(Clone, Debug)]
pub struct EndedRun {
    pub seq: u64,
    pub line: RunLine,
}

/// Runs in the order in which they end.
pub struct Endings {
    ctx: Ctx,
    access: Access,
    seq: u64,
    appended: Signal,
}

impl Endings {
    /// Of those that end from now on.
    pub async fn from_now(ctx: &Ctx, access: &Access) -> Result<Endings, Error> {
        access.may(Verb::ReadRuns)?;
        let appended = ctx.signals.on(Topic::Events);
        let seq = ctx.store.newest_event().await?;
        Ok(Endings { ctx: ctx.clone(), access: access.clone(), seq, appended })
    }

    /// From behind this Event on.
    #[must_use]
    pub fn resumed_after(self, seq: u64) -> Endings {
        Endings { seq, ..self }
    }

    /// Those that have ended since the last time, as soon as one has.
    pub async fn next(&mut self) -> Result<Vec<EndedRun>, Error> {
        loop {
            let events = self.ctx.store.events_after(self.seq, AT_ONCE).await?;
            self.seq = events.last().map_or(self.seq, |event| event.seq);
            let (mut seqs, mut ended) = (Vec::new(), Vec::new());
            for (seq, run) in events.iter().filter_map(|event| Some((event.seq, ended_run(event)?))) {
                // One that is pruned already leaves nothing to tell.
                let run = self.ctx.store.run(run).await?;
                if let Some(run) = run.filter(|run| self.access.covers(run.key.name.as_str())) {
                    seqs.push(seq);
                    ended.push(run);
                }
            }
            if !ended.is_empty() {
                let lines = lines(&self.ctx, &self.access, &ended).await?;
                return Ok(seqs.into_iter().zip(lines).map(|(seq, line)| EndedRun { seq, line }).collect());
            }
            if events.is_empty() {
                let look = self.ctx.clock.now() + signals::net(&self.ctx, LOOK);
                tokio::select! {
                    biased;
                    () = self.appended.rung() => {}
                    () = self.ctx.clock.wait_until(look) => {}
                }
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
