//! Lists of Runs for people, in pages: without input and output, with names instead of ids.

use jiff::Timestamp;
use model::access::Access;
use model::access::actor::Actor;
use model::access::verb::Verb;
use model::entry::EntryKey;
use model::ids::RunId;
use model::run::{Ending, Run, RunError, RunState};
use model::version::VersionNumber;
use serde::{Deserialize, Serialize};
use store::RunFilter;

use crate::app::functions::names::Names;
use crate::ctx::Ctx;
use crate::error::Error;

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct RunLine {
    pub run_id: RunId,
    #[serde(flatten)]
    pub key: EntryKey,
    pub version: Option<VersionNumber>,
    pub state: RunState,
    pub ending: Option<Ending>,
    /// Without its traceback.
    pub error: Option<RunError>,
    pub actor: Actor,
    /// The actor by name.
    pub who: String,
    pub parent: Option<RunId>,
    pub attempt: u32,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    /// From its start to its end, with all its tries and all it waited for.
    pub duration_us: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct RunPage {
    pub runs: Vec<RunLine>,
    /// Those before this one are on the next page; absent on the last page.
    pub next: Option<RunId>,
}

/// Newest first.
pub async fn page(ctx: &Ctx, access: &Access, filter: RunFilter, limit: u32) -> Result<RunPage, Error> {
    access.may(Verb::ReadRuns)?;
    let filter = RunFilter { scope: access.only().clone(), ..filter };
    // One more than is shown tells whether there are more.
    let mut runs = ctx.store.runs(&filter, limit.saturating_add(1)).await?;
    let more = runs.len() > limit as usize;
    runs.truncate(limit as usize);
    let next = runs.last().filter(|_| more).map(|run| run.run_id);
    Ok(RunPage { runs: lines(ctx, access, &runs).await?, next })
}

/// These Runs, of those that are there, in this order.
pub async fn of(ctx: &Ctx, access: &Access, ids: &[RunId]) -> Result<Vec<RunLine>, Error> {
    access.may(Verb::ReadRuns)?;
    let mut runs = Vec::new();
    for id in ids {
        let run = ctx.store.run(*id).await?;
        runs.extend(run.filter(|run| access.covers(run.key.name.as_str())));
    }
    lines(ctx, access, &runs).await
}

pub(crate) async fn lines(ctx: &Ctx, access: &Access, runs: &[Run]) -> Result<Vec<RunLine>, Error> {
    let names = Names::of(ctx, access, runs).await?;
    Ok(runs.iter().map(|run| line(run, &names)).collect())
}

fn line(run: &Run, names: &Names) -> RunLine {
    let error = run.error.as_ref().map(|error| RunError { traceback: None, ..error.clone() });
    RunLine {
        run_id: run.run_id,
        key: run.key.clone(),
        version: names.version(run),
        state: run.state,
        ending: run.ending,
        error,
        actor: run.actor.clone(),
        who: names.who(&run.actor),
        parent: run.parent,
        attempt: run.attempt,
        created_at: run.created_at,
        started_at: run.started_at,
        finished_at: run.finished_at,
        duration_us: run.duration_us(),
    }
}
