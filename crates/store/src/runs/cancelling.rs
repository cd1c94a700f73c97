//! Cancelling a Run and everything it started.

use std::collections::BTreeSet;

use jiff::Timestamp;
use model::access::actor::Actor;
use model::access::scope::Scope;
use model::ids::RunId;
use model::run::{Run, RunState};

use super::ending::{push_forget, push_forget_callees};
use super::waiting::push_wake;
use crate::budgets::reservations::push_settle_left;
use crate::changes::Topic;
use crate::db::{Batch, Durability};
use crate::error::Error;
use crate::events::push_events;
use crate::store::Store;

/// So many are ended in one batch: others who append events wait for it.
const PORTION: usize = 100;

/// Runs may be claimed, woken and started while they are being ended; each round handles those that were.
const ROUNDS: usize = 64;

impl Store {
    /// Asks for the end of a Run and of everything below it; of what triggers started because of it, only what is in the scope.
    /// What has no cell ends at once; what runs is marked, and its node ends it. Answers all that had not ended.
    pub async fn request_cancel(
        &self,
        run: RunId,
        actor: &Actor,
        at: Timestamp,
        scope: &Scope,
    ) -> Result<Vec<RunId>, Error> {
        let mut asked = BTreeSet::new();
        for _ in 0..ROUNDS {
            let open = self.open_tree(run, scope).await?;
            asked.extend(open.iter().map(|run| run.run_id));
            let left: Vec<Run> = open
                .into_iter()
                .filter(|run| run.state != RunState::Running || run.cancelled.is_none())
                .collect();
            if left.is_empty() {
                return Ok(asked.into_iter().collect());
            }
            for portion in left.chunks(PORTION) {
                self.cancel_portion(portion, actor, at).await?;
            }
        }
        Err(Error::GuardFailed { guard: "the run starts no others faster than they can be ended" })
    }

    /// Nothing happens if one of them has moved on; the next round sees it as it is.
    async fn cancel_portion(&self, runs: &[Run], actor: &Actor, at: Timestamp) -> Result<bool, Error> {
        let mut batch = Batch::new();
        let (mut events, mut kept) = (Vec::new(), Vec::new());
        for was in runs {
            let run = was.clone().cancelled_by(actor, at);
            push_cancel(&mut batch, was, &run);
            if run.state.is_final() {
                // It has no output that could be too long.
                events.push(run.recorded(usize::MAX).event);
                push_settle_left(&mut batch, run.run_id);
                batch.changes_run(run.run_id);
                if let Some(graph) = run.parent.filter(|_| run.how.is_node) {
                    push_wake(&mut batch, graph, at);
                }
            } else {
                batch.changes(Topic::Cancels);
            }
            if run.is_forgotten() {
                push_forget(&mut batch, run.run_id);
            } else if run.state.is_final() {
                kept.push(run.run_id);
            }
        }
        // When all that are not kept are known as such.
        for run in kept {
            push_forget_callees(&mut batch, run);
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
