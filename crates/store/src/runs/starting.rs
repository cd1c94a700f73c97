//! Starting a Run: its record, before anything is executed.

use model::function::closure::Member;
use model::run::draft::DraftContent;
use model::run::{Run, RunState};

use super::closures::push_closure;
use super::drafts::{STATEMENTS, push_run_draft};
use super::graph_journal::push_resumed;
use crate::changes::Topic;
use crate::db::{Batch, Durability, Sql};
use crate::error::Error;
use crate::runs::{insert_run, run_columns, run_from_row, run_values};
use crate::store::Store;

/// What resulted from starting a Run.
#[derive(Clone, Debug, PartialEq)]
pub enum Started {
    New,
    /// Its idempotency key was used before, by this one.
    Existing(Box<Run>),
}

impl Store {
    /// Records a Run that is queued, or that this node executes at once. What is queued survives a power failure; the
    /// record of one that someone waits for survives the end of the process.
    ///
    /// `members` is what [`Run::closure`] stands for.
    pub async fn start_run(&self, run: &Run, members: &[Member]) -> Result<Started, Error> {
        self.start_run_of(run, members, None).await
    }

    /// The same for a Run that may be of a draft of a Graph or of a script, which is stored along.
    pub async fn start_run_of(
        &self,
        run: &Run,
        members: &[Member],
        draft: Option<&DraftContent>,
    ) -> Result<Started, Error> {
        let mut batch = Batch::new();
        let closure = run.closure.filter(|hash| !self.closures.contains(hash));
        if let Some(hash) = closure {
            push_closure(&mut batch, hash, members)?;
        }
        if let Some(parent) = run.parent {
            // Whoever cancels that looks for all below it, and must not miss one that comes after the look.
            batch.guard(STARTS_OTHERS, [parent.0.into()], "the run that starts it goes on");
        }
        let keyed = push_start(&mut batch, run, draft)?;
        if let Some(failed) = run.how.graph.as_ref().and_then(|graph| graph.resumes) {
            push_resumed(&mut batch, run.run_id, failed);
        }
        // A closure is not written again, so it must be there for every later Run that loads the same.
        let lasting = run.state == RunState::Queued || closure.is_some();
        let durability = if lasting { Durability::Power } else { Durability::Process };
        let mut answers = self.db.write(batch, durability).await?;
        if let Some(hash) = closure {
            self.closures.insert(hash);
        }
        if !keyed {
            return Ok(Started::New);
        }
        let first = answers.pop().unwrap_or_default();
        if draft.is_some() {
            answers.truncate(answers.len().saturating_sub(STATEMENTS));
        }
        if answers.pop().is_some_and(|inserted| !inserted.is_empty()) {
            return Ok(Started::New);
        }
        match first.first() {
            Some(row) => Ok(Started::Existing(Box::new(run_from_row(row)?))),
            None => Err(Error::Unique {
                table: "runs".to_owned(),
                detail: format!("run {} exists and has another idempotency key", run.run_id),
            }),
        }
    }
}

macro_rules! starts_others {
    ($lock:literal) => {
        concat!("select 1 from runs where run_id = $1 and state = 'running' and cancelled_at is null", $lock)
    };
}

/// PostgreSQL is told to let nobody cancel it until the batch is over; SQLite has one writer.
const STARTS_OTHERS: Sql = Sql { sqlite: starts_others!(""), postgres: starts_others!(" for share") };

/// Says whether it has an idempotency key; then the last answers are what was inserted, those for the draft if there is one, and who has
/// the key.
fn push_start(batch: &mut Batch, run: &Run, draft: Option<&DraftContent>) -> Result<bool, Error> {
    if run.state == RunState::Queued {
        batch.changes(Topic::Queue);
    }
    let values = run_values(run)?;
    let Some(key) = run.how.idempotency_key.as_deref() else {
        batch.push(insert_run!(""), values);
        draft.map_or(Ok(()), |draft| push_run_draft(batch, run.run_id, draft))?;
        return Ok(false);
    };
    batch.push(insert_run!(" on conflict do nothing returning run_id"), values);
    draft.map_or(Ok(()), |draft| push_run_draft(batch, run.run_id, draft))?;
    batch.push(concat!("select ", run_columns!(), " from runs where idempotency_key = $1"), [key.into()]);
    Ok(true)
}
