//! What one schedule does when it is due: every due tick becomes a queued Run, once, with any number of servers, because a
//! tick has its own row.

use std::sync::Arc;

use jiff::Timestamp;
use model::access::Access;
use model::access::actor::Actor;
use model::event::{EventKind, NewEvent};
use model::ids::RunId;
use model::run::{Concurrency, RunError};
use model::schedule::failing::{Failures, LastFailure};
use model::schedule::{Overlap, ScheduleContent};
use serde_json::json;

use crate::app::runs::{self, StartRun, Target};
use crate::ctx::Ctx;
use crate::error::Error;
use crate::live::Live;

/// How many missed ticks are made up for at most.
const MOST_MISSED: usize = 100;
/// A tick that others handled, or that could not be counted because they counted so many failures meanwhile, is left to them.
const TRIES: usize = 3;

impl Live<ScheduleContent> {
    /// Starts what is due and says when the next tick is.
    pub(super) async fn tick(&self, ctx: &Ctx) -> Result<Option<Timestamp>, Error> {
        if self.content.paused {
            return Ok(None);
        }
        let Ok(timetable) = self.content.timetable() else { return Ok(None) };
        let now = ctx.clock.now();
        let since = self.since.at;
        let last = ctx.store.last_tick(self.entry).await?.map_or(since, |tick| tick.at.max(since));
        let ticks = timetable.ticks_between(last, now, self.content.missed, MOST_MISSED);
        if let Some(left_out) = &ticks.left_out {
            ctx.store.tick(self.entry, left_out.last, None, Some(&left_out.to_string()), None).await?;
            tracing::info!(schedule.name = %self.name, "schedule `{}`: {left_out}", self.name);
        }
        for at in ticks.due {
            self.start(ctx, at).await?;
        }
        Ok(timetable.next_after(now))
    }

    async fn start(&self, ctx: &Ctx, at: Timestamp) -> Result<(), Error> {
        if self.content.overlap == Overlap::Skip && ctx.store.running_of_schedule(self.entry).await? > 0 {
            return self.pass_over(ctx, at, "the run of the last tick is still running").await;
        }
        let request = StartRun::of(Target::Live(self.content.target.clone()), self.content.input.clone());
        let access = Access { actor: Actor::Schedule(self.entry), authority: Arc::clone(&self.authority) };
        match runs::recorded(ctx, &access, request).await {
            Ok(mut run) => {
                if self.content.overlap == Overlap::Queue {
                    let key = format!("schedule:{}", self.entry);
                    run.how.concurrency = Some(Concurrency { key, limit: 1 });
                }
                let event = self.ticked(ctx, at, Some(run.run_id), None);
                ctx.store.tick(self.entry, at, Some(&run), None, Some(&event)).await?;
                Ok(())
            }
            Err(error @ Error::Store(_)) => Err(error),
            Err(error) => {
                tracing::warn!(schedule.name = %self.name, "schedule `{}` started nothing: {error}", self.name);
                self.fail(ctx, at, &error).await
            }
        }
    }

    /// A tick that starts nothing is reported too.
    async fn pass_over(&self, ctx: &Ctx, at: Timestamp, why: &str) -> Result<(), Error> {
        let event = self.ticked(ctx, at, None, Some(why));
        ctx.store.tick(self.entry, at, None, Some(why), Some(&event)).await?;
        Ok(())
    }

    /// A tick that could not start anything is a failure, and counted with it.
    async fn fail(&self, ctx: &Ctx, at: Timestamp, error: &Error) -> Result<(), Error> {
        let why = error.to_string();
        let ticked = self.ticked(ctx, at, None, Some(&why));
        for _ in 0..TRIES {
            let from = ctx.store.schedule_failures(self.entry).await?;
            let mut events = vec![ticked.clone()];
            events.extend(self.failing_event(ctx, from.and_another(), error));
            if ctx.store.failed_tick(self.entry, at, &why, from, &events).await? {
                break;
            }
        }
        Ok(())
    }

    /// What people hear of a failure, if this is the one that they hear of.
    fn failing_event(&self, ctx: &Ctx, failures: Failures, error: &Error) -> Option<NewEvent> {
        let error = RunError {
            type_name: "NotStarted".to_owned(),
            message: error.to_string(),
            traceback: None,
            hint: None,
        };
        let last = LastFailure { target: &self.content.target, run: None, error };
        failures.is_reported().then(|| last.event(self.entry, &self.name, failures, ctx.clock.now()))
    }

    fn ticked(&self, ctx: &Ctx, at: Timestamp, run: Option<RunId>, skipped: Option<&str>) -> NewEvent {
        NewEvent {
            kind: EventKind::ScheduleTicked,
            source: self.name.to_string(),
            data: json!({ "tick": at, "target": self.content.target, "run_id": run, "skipped": skipped }),
            actor: Actor::Schedule(self.entry),
            at: ctx.clock.now(),
        }
    }
}
