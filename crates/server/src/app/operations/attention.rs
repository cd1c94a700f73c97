//! What needs a person now: schedules and triggers that keep failing, questions and changesets that wait, environments that
//! cannot be built, and presets that do not fit.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use model::access::Access;
use model::access::verb::Verb;
use model::changeset::ChangesetState;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::ids::RunId;
use model::name::EntryName;
use model::run::streak::{Turn, failed_in_a_row};
use model::run::{Run, RunState, Waiting};
use model::version::Version;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{ChangesetFilter, ChangesetSummary, RunFilter};

use crate::app;
use crate::app::presets::PresetView;
use crate::app::triggers::firing;
use crate::ctx::Ctx;
use crate::engine::NO_ENVIRONMENT;
use crate::error::Error;

/// Of each kind of entry, so many are looked at: more take longer than someone waits for an overview.
const MOST_ENTRIES: u32 = 1_000;
/// How many of the newest turns of each are looked at.
const TURNS: u32 = 10;
/// Of each other kind, so many are listed.
const MOST: u32 = 100;
/// Among so many waiting runs, questions are looked for.
const MOST_WAITING: u32 = 1_000;
/// A function that was not run for longer is not said to be broken.
const RECENTLY: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Everything that needs a person now; each list is empty when all is well.
#[derive(Clone, Debug, Default, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Attention {
    /// Schedules whose last ticks started nothing, or runs that failed.
    pub schedules: Vec<Failing>,
    /// Triggers whose last events started nothing, or runs that failed.
    pub triggers: Vec<Failing>,
    /// Runs that wait for a person's answer, the newest first.
    pub questions: Vec<Question>,
    /// Proposed changesets that wait for a decision, the newest first.
    pub changesets: Vec<ChangesetSummary>,
    /// Functions whose last run could not start because their packages cannot be installed.
    pub environments: Vec<Unbuildable>,
    /// Presets that do not fit what is live.
    #[serde(default)]
    pub presets: Vec<UnfitPreset>,
}

/// A schedule or a trigger that keeps failing.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Failing {
    pub name: EntryName,
    pub target: EntryName,
    /// How often in a row, of the last ten times.
    pub times: usize,
    /// When it failed last.
    pub last: Timestamp,
    /// Why it failed last.
    pub why: String,
    /// The run that failed; absent if none was started.
    pub run_id: Option<RunId>,
}

/// A run that waits for an answer.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Question {
    pub run_id: RunId,
    pub function: EntryName,
    pub question: Value,
    pub created_at: Timestamp,
}

/// A function whose environment cannot be built.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Unbuildable {
    pub function: EntryName,
    pub requirements: Vec<String>,
    pub why: String,
    pub run_id: RunId,
    pub at: Timestamp,
}

/// A preset that cannot be run.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct UnfitPreset {
    pub callable: EntryName,
    pub name: String,
    pub why: String,
}

impl Attention {
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// How many things there are to look at.
    pub fn count(&self) -> usize {
        let entries = self.schedules.len() + self.triggers.len();
        entries + self.questions.len() + self.changesets.len() + self.environments.len() + self.presets.len()
    }
}

/// As far as it may be seen.
pub async fn list(ctx: &Ctx, access: &Access) -> Result<Attention, Error> {
    access.may(Verb::ReadBrain)?;
    Ok(Attention {
        schedules: schedules(ctx, access).await?,
        triggers: triggers(ctx, access).await?,
        questions: questions(ctx, access).await?,
        changesets: changesets(ctx, access).await?,
        environments: environments(ctx, access).await?,
        presets: presets(ctx, access).await?,
    })
}

/// A turn with when it was and what it started.
struct Taken {
    turn: Turn,
    at: Timestamp,
    run_id: Option<RunId>,
}

async fn schedules(ctx: &Ctx, access: &Access) -> Result<Vec<Failing>, Error> {
    let mut failing = Vec::new();
    for version in ctx.store.live_versions(EntryKind::Schedule, None, MOST_ENTRIES, access.only()).await? {
        let Content::Schedule(schedule) = &version.content else { continue };
        if schedule.paused {
            continue;
        }
        let mut taken = Vec::new();
        for tick in ctx.store.ticks(version.head.entry_id, None, TURNS).await? {
            let turn = turn(ctx, access, tick.run_id, tick.skipped).await?;
            taken.push(Taken { turn, at: tick.at, run_id: tick.run_id });
        }
        failing.extend(failing_since(&version, &schedule.target, taken));
    }
    Ok(failing)
}

async fn triggers(ctx: &Ctx, access: &Access) -> Result<Vec<Failing>, Error> {
    let mut failing = Vec::new();
    for version in ctx.store.live_versions(EntryKind::Trigger, None, MOST_ENTRIES, access.only()).await? {
        let Content::Trigger(trigger) = &version.content else { continue };
        if !trigger.enabled {
            continue;
        }
        let mut taken = Vec::new();
        for fired in ctx.store.firings_before(version.head.entry_id, None, TURNS).await? {
            let line = firing(access, fired);
            // Beside a run, it says why that one was withdrawn.
            let turn = match (line.run_id, line.stopped) {
                (Some(_), Some(_)) => Turn::Open,
                (run_id, stopped) => turn(ctx, access, run_id, stopped).await?,
            };
            taken.push(Taken { turn, at: line.at, run_id: line.run_id });
        }
        failing.extend(failing_since(&version, &trigger.target, taken));
    }
    Ok(failing)
}

async fn turn(
    ctx: &Ctx,
    access: &Access,
    run_id: Option<RunId>,
    stopped: Option<String>,
) -> Result<Turn, Error> {
    if let Some(why) = stopped {
        return Ok(Turn::Failed(why));
    }
    let run = match run_id {
        Some(run_id) => ctx.store.run(run_id).await?,
        None => None,
    };
    let seen = run.filter(|run| access.covers(run.key.name.as_str()));
    Ok(seen.map_or(Turn::Open, |run| match run.state {
        RunState::Succeeded => Turn::Fine,
        RunState::Failed => Turn::Failed(why(&run)),
        RunState::Queued | RunState::Running | RunState::Waiting | RunState::Cancelled => Turn::Open,
    }))
}

fn why(run: &Run) -> String {
    match &run.error {
        Some(error) => format!("{}: {}", error.type_name, error.message),
        None => "its run failed".to_owned(),
    }
}

/// What it did before it was written as it is now says nothing of it.
fn failing_since(version: &Version, target: &EntryName, mut taken: Vec<Taken>) -> Option<Failing> {
    taken.retain(|taken| taken.at >= version.head.written_at);
    let turns: Vec<Turn> = taken.iter().map(|taken| taken.turn.clone()).collect();
    let times = failed_in_a_row(&turns)?;
    taken.into_iter().find_map(|taken| match taken.turn {
        Turn::Failed(why) => Some(Failing {
            name: version.head.key.name.clone(),
            target: target.clone(),
            times,
            last: taken.at,
            why,
            run_id: taken.run_id,
        }),
        _ => None,
    })
}

async fn questions(ctx: &Ctx, access: &Access) -> Result<Vec<Question>, Error> {
    let waiting =
        RunFilter { states: vec![RunState::Waiting], scope: access.only().clone(), ..RunFilter::default() };
    let question = |run: Run| match run.waiting {
        Some(Waiting::Person { question, .. }) => {
            let (run_id, function, created_at) = (run.run_id, run.key.name, run.created_at);
            Some(Question { run_id, function, question, created_at })
        }
        _ => None,
    };
    let runs = ctx.store.runs(&waiting, MOST_WAITING).await?;
    Ok(runs.into_iter().filter_map(question).take(MOST as usize).collect())
}

async fn changesets(ctx: &Ctx, access: &Access) -> Result<Vec<ChangesetSummary>, Error> {
    let state = Some(ChangesetState::Checked);
    let filter = ChangesetFilter { state, scope: access.only().clone(), ..ChangesetFilter::default() };
    Ok(ctx.store.changesets(&filter, MOST).await?)
}

async fn presets(ctx: &Ctx, access: &Access) -> Result<Vec<UnfitPreset>, Error> {
    let unfit = |view: PresetView| {
        let why = view.problem?;
        Some(UnfitPreset { callable: view.preset.callable, name: view.preset.name, why })
    };
    let presets = app::presets::list(ctx, access, None, None, MOST_ENTRIES).await?;
    Ok(presets.into_iter().filter_map(unfit).take(MOST as usize).collect())
}

async fn environments(ctx: &Ctx, access: &Access) -> Result<Vec<Unbuildable>, Error> {
    let since = ctx.clock.now().checked_sub(RECENTLY).ok();
    let error = Some(NO_ENVIRONMENT.to_owned());
    let failed = RunFilter { error, since, scope: access.only().clone(), ..RunFilter::default() };
    let (mut unbuildable, mut seen) = (Vec::new(), HashSet::new());
    for run in ctx.store.runs(&failed, MOST).await? {
        // Code can raise what reads the same, but it ran.
        if run.ending.is_none() && seen.insert(run.key.clone()) {
            unbuildable.extend(still_unbuildable(ctx, run).await?);
        }
    }
    Ok(unbuildable)
}

/// Unless it ran since, or is another version now.
async fn still_unbuildable(ctx: &Ctx, run: Run) -> Result<Option<Unbuildable>, Error> {
    let name = Some(run.key.name.to_string());
    let states = vec![RunState::Succeeded, RunState::Failed];
    let newest = ctx.store.runs(&RunFilter { name, states, ..RunFilter::default() }, 1).await?;
    if newest.iter().any(|newest| newest.run_id != run.run_id) {
        return Ok(None);
    }
    let live = ctx.store.live_version(&EntryKey::function(run.key.name.clone())).await?;
    let live = live.filter(|live| Some(live.head.version_id) == run.version_id);
    let Some(function) = live.as_ref().and_then(|live| live.content.as_function()) else { return Ok(None) };
    Ok(Some(Unbuildable {
        requirements: function.requirements.iter().map(ToString::to_string).collect(),
        why: run.error.as_ref().map(|error| error.message.clone()).unwrap_or_default(),
        run_id: run.run_id,
        at: run.created_at,
        function: run.key.name,
    }))
}
