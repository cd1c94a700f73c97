//! Asking for the end of a Run and of all it started.

use std::collections::BTreeSet;

use jiff::Timestamp;
use model::actor::Actor;
use model::event::NewEvent;
use model::ids::RunId;
use model::run::{Run, RunState};
use model::scope::Scope;

use crate::db::{Batch, Durability};
use crate::ending::push_forget;
use crate::error::Error;
use crate::events::push_events;
use crate::store::Store;

/// So many are ended in one batch: others who append events wait for it.
const PORTION: usize = 100;

/// Runs may be claimed, woken and started while they are being ended; each round deals with those that were.
const ROUNDS: usize = 64;

impl Store {
    /// Asks for the end of a Run and of everything below it; of what triggers started because of it, only what is in the scope. What has no cell ends at once, with the Event that
    /// `event` makes of it as it is then; what runs is marked, and its node ends it. Answers all that had not ended.
    pub async fn request_cancel(
        &self,
        run: RunId,
        actor: &Actor,
        at: Timestamp,
        scope: &Scope,
        event: impl Fn(&Run) -> NewEvent,
    ) -> Result<Vec<RunId>, Error> {
        let mut asked = BTreeSet::new();
        for _ in 0..ROUNDS {
            let open = self.open_tree(run, scope).await?;
            let mut left: Vec<Run> = open
                .into_iter()
                .filter(|run| run.state != RunState::Running || run.cancelled.is_none())
                .collect();
            if left.is_empty() {
                return Ok(asked.into_iter().collect());
            }
            for run in &mut left {
                asked.insert(run.run_id);
                run.cancelled.get_or_insert_with(|| (actor.clone(), at));
            }
            for portion in left.chunks(PORTION) {
                self.cancel_portion(portion, at, &event).await?;
            }
        }
        Err(Error::GuardFailed { guard: "the run starts no others faster than they can be ended" })
    }

    /// Nothing happens if one of them has moved on; the next round sees it as it is.
    async fn cancel_portion(
        &self,
        runs: &[Run],
        at: Timestamp,
        event: &impl Fn(&Run) -> NewEvent,
    ) -> Result<bool, Error> {
        let mut batch = Batch::new();
        let mut events = Vec::new();
        for run in runs {
            let mut ended = run.clone();
            if run.state != RunState::Running {
                ended.state = RunState::Cancelled;
                ended.finished_at = Some(at);
                ended.waiting = None;
                events.push(event(&ended));
            }
            push_cancel(&mut batch, run, &ended);
            if ended.is_forgotten() {
                push_forget(&mut batch, run.run_id);
            }
        }
        push_events(&mut batch, &events);
        match self.db.write(batch, Durability::Power).await {
            Ok(_) => Ok(true),
            Err(error) => error.absent(),
        }
    }
}

fn push_cancel(batch: &mut Batch, was: &Run, is: &Run) {
    let cancelled = is.cancelled.as_ref();
    batch.guard(
        "update runs set state = $3, cancelled_by = $4, cancelled_at = $5, finished_at = $6,
            waiting = case when $3 = 'running' then waiting end, wake_at = case when $3 = 'running' then wake_at end
         where run_id = $1 and state = $2",
        [
            was.run_id.0.into(),
            was.state.as_str().into(),
            is.state.as_str().into(),
            cancelled.map(|(actor, _)| actor.to_string()).into(),
            cancelled.map(|(_, at)| *at).into(),
            is.finished_at.into(),
        ],
        "the runs are in the states they were",
    );
}
