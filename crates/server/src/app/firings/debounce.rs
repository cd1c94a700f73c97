//! Recent firings of a Trigger: what counts for its rate limit, and which Run waits for a burst of Events to end.

use std::time::Duration;

use jiff::Timestamp;
use model::event::Event;
use model::run::{Run, RunState};
use store::{Firing, Firings, WithdrawnRun};

use crate::ctx::Ctx;
use crate::error::Error;
use crate::live::LiveTrigger;

/// A burst may be held back ten times its debounce, so its beginning is no further back than this.
const LONGEST_BURST: u64 = 20;

/// The firings of one Trigger that led to a Run, the newest first, with those of the batch that is being made.
#[derive(Debug, Default)]
pub(super) struct Past {
    firings: Vec<Firing>,
    /// Whether the Run of the newest still waits for Events like the one at hand.
    holds: bool,
}

impl Past {
    pub(super) async fn of(
        ctx: &Ctx,
        live: &LiveTrigger,
        event: &Event,
        batch: &Firings,
    ) -> Result<Past, Error> {
        let limit = live.content.rate_limit.map_or(0, |limit| limit.seconds);
        let debounce = live.content.debounce_ms.unwrap_or(0).saturating_mul(LONGEST_BURST).div_ceil(1000);
        let back = limit.max(debounce);
        if back == 0 {
            return Ok(Past::default());
        }
        let since = ctx.clock.now() - Duration::from_secs(back);
        let mine = |firing: &&Firing| firing.entry_id == live.entry;
        let mut firings: Vec<Firing> = batch.firings.iter().rev().filter(mine).cloned().collect();
        firings.extend(ctx.store.firings(live.entry, since).await?);
        for taken in batch.withdrawn.iter().filter(|taken| taken.entry_id == live.entry) {
            if let Some(firing) = firings.iter_mut().find(|firing| firing.seq == taken.seq) {
                firing.stopped = Some(taken.why.clone());
            }
        }
        firings.retain(|firing| firing.run_id.is_some());
        let held = match firings.first().filter(|_| live.content.debounce_ms.is_some()) {
            Some(newest) => waiting_run(ctx, newest, batch).await?,
            None => None,
        };
        // Later than its pause, the Event begins another burst.
        let holds = held.is_some_and(|run| run.how.due_at.is_some_and(|due| event.fact.at <= due));
        Ok(Past { firings, holds })
    }

    /// When it fired. A burst is one Run, so what was taken back does not count, nor what would be now.
    pub(super) fn fired(&self) -> Vec<Timestamp> {
        let past = self.firings.iter().skip(usize::from(self.holds));
        past.filter(|firing| firing.stopped.is_none()).map(|firing| firing.at).collect()
    }

    /// The first of the Events that are being held back.
    pub(super) fn held_since(&self) -> Option<Timestamp> {
        let newest = self.firings.first().filter(|_| self.holds)?;
        let burst = self.firings.iter().skip(1).take_while(|firing| firing.stopped.is_some());
        Some(burst.last().unwrap_or(newest).at)
    }

    /// Lets the Event at hand stand for the one whose Run waits.
    pub(super) fn withdraw_run(&self, event: &Event, batch: &mut Firings) {
        let Some(Firing { entry_id, seq, run_id: Some(run_id), .. }) =
            self.firings.first().filter(|_| self.holds).cloned()
        else {
            return;
        };
        let why = format!("event {} followed before its pause was over, and replaces it", event.seq);
        if let Some(place) = batch.runs.iter().position(|run| run.run_id == run_id) {
            batch.runs.remove(place);
            let same = |firing: &&mut Firing| firing.run_id == Some(run_id);
            batch.firings.iter_mut().filter(same).for_each(|firing| firing.stopped = Some(why.clone()));
            return;
        }
        batch.withdrawn.push(WithdrawnRun { entry_id, seq, run_id, why });
    }
}

/// The Run of a firing, if it has not begun.
async fn waiting_run(ctx: &Ctx, firing: &Firing, batch: &Firings) -> Result<Option<Run>, Error> {
    let Some(id) = firing.run_id.filter(|_| firing.stopped.is_none()) else { return Ok(None) };
    if let Some(run) = batch.runs.iter().find(|run| run.run_id == id) {
        return Ok(Some(run.clone()));
    }
    let run = ctx.store.run(id).await?;
    Ok(run.filter(|run| run.state == RunState::Queued && run.started_at.is_none()))
}
