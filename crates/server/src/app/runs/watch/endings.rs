//! Runs in the order in which they end.

use model::access::Access;
use model::access::verb::Verb;
use model::event::{Event, EventKind};
use model::ids::RunId;
use store::Topic;

use super::{AT_ONCE, LOOK};
use crate::app::runs::lists::{RunLine, lines};
use crate::ctx::Ctx;
use crate::error::Error;
use crate::signals::{self, Signal};

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
                    () = self.appended.changed() => {}
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
