//! Tests of Versions: run in cells, in parallel, against what is live or against a draft.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::access::Access;
use model::access::verb::Verb;
use model::changeset::check::{Check, Finding, Gate};
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::function::dependency::Role;
use model::function::test_case::TestCase;
use model::name::EntryName;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use super::Which;
use super::test_results::{TestResults, TrialKey};
use super::trials::{self, Attempt, Overlay};
use crate::app::changesets::drafts::Drafted;
use crate::app::functions;
use crate::ctx::Ctx;
use crate::engine::ExecutionError;
use crate::error::Error;
use crate::prepare::Prepared;

/// How far "who depends on this" is followed in a check.
const MOST_DEPENDENTS: usize = 500;

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct TestReport {
    pub function: EntryName,
    /// From 1.
    pub number: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub passed: bool,
    /// What came instead of what was expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A test that was run, or could not be.
pub(crate) struct Tried {
    report: TestReport,
    /// Why nothing was executed.
    error: Option<ExecutionError>,
}

/// The tests of these Functions as they are live; of all that have some, if none is named. A test whose environment cannot
/// be made has failed.
pub async fn run(ctx: &Ctx, access: &Access, names: &[EntryName]) -> Result<Vec<TestReport>, Error> {
    access.may(Verb::RunTests)?;
    let names = callable_names(ctx, access, names).await?;
    let mut reports = Vec::new();
    for (_, tried) in run_all(ctx, trials_of(ctx, &Overlay::new(), &names).await?).await? {
        match tried.error {
            None | Some(ExecutionError::Environment(_)) => reports.push(tried.report),
            Some(error) => return Err(error.into()),
        }
    }
    Ok(reports)
}

/// These Functions, if they are there; all that may be touched, if none is named.
pub(super) async fn callable_names(
    ctx: &Ctx,
    access: &Access,
    names: &[EntryName],
) -> Result<Vec<EntryName>, Error> {
    for name in names {
        access.may_touch(Verb::RunTests, name.as_str())?;
        functions::version(ctx, access, &EntryKey::function(name.clone()), Which::Live).await?;
    }
    if names.is_empty() { all_names(ctx, access).await } else { Ok(names.to_vec()) }
}

async fn all_names(ctx: &Ctx, access: &Access) -> Result<Vec<EntryName>, Error> {
    let names = ctx.store.entry_names(EntryKind::Function, access.only()).await?;
    Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
}

/// Everything that calls these Functions, directly or not.
pub async fn dependents(
    ctx: &Ctx,
    access: &Access,
    names: &[EntryName],
) -> Result<BTreeSet<EntryName>, Error> {
    access.may(Verb::ReadFunctions)?;
    let mut found: BTreeSet<EntryName> = BTreeSet::new();
    let mut next: Vec<String> = names.iter().map(ToString::to_string).collect();
    while !next.is_empty() && found.len() < MOST_DEPENDENTS {
        let referrers = ctx.store.referrers(EntryKind::Function, &next, access.only()).await?;
        next = referrers
            .into_iter()
            .filter(|(_, role, who)| *role == Role::Calls && who.kind == EntryKind::Function)
            .filter(|(_, _, who)| found.insert(who.name.clone()))
            .map(|(_, _, who)| who.name.to_string())
            .collect();
    }
    Ok(found)
}

/// The gate: tests of what changes and of all that depends on it, against the draft. What lies outside is tested by whoever may
/// apply it.
pub(crate) async fn check(
    ctx: &Ctx,
    access: &Access,
    drafted: &Drafted,
    results: &mut TestResults,
) -> Result<Check, Error> {
    let overlay = trials::overlay(&drafted.changes);
    let known = |name: &EntryName| {
        let state = drafted.snapshot.entries.get(&EntryKey::function(name.clone()));
        state.is_some_and(|state| state.live.is_some())
    };
    let moved: Vec<EntryName> = overlay.keys().filter(|name| known(name)).cloned().collect();
    let mut names: BTreeSet<EntryName> = overlay.keys().cloned().collect();
    names.extend(dependents(ctx, access, &moved).await?);
    let names: Vec<EntryName> = names.into_iter().collect();
    let Some(tried) = results.of(ctx, trials_of(ctx, &overlay, &names).await?).await? else {
        return Ok(Check::not_run(Gate::Tests, "they have to be run first"));
    };
    if let Some(error) = tried.iter().find_map(|tried| tried.error.as_ref()) {
        return Ok(Check::not_run(Gate::Tests, error.to_string()));
    }
    if tried.is_empty() {
        return Ok(Check::not_run(Gate::Tests, "there are none"));
    }
    Ok(Check::of(Gate::Tests, tried.iter().filter_map(|tried| finding(&tried.report)).collect()))
}

fn finding(report: &TestReport) -> Option<Finding> {
    let why = report.why.as_ref()?;
    let name = report.name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    let message = format!("test {}{name} fails: {why}", report.number);
    Some(Finding::error(EntryKey::function(report.function.clone()), message))
}

/// A test that is ready to be run.
pub(crate) struct Trial {
    pub(super) key: TrialKey,
    test: TestCase,
    prepared: Arc<Prepared>,
}

/// The tests of these Functions, in order.
async fn trials_of(ctx: &Ctx, overlay: &Overlay, names: &[EntryName]) -> Result<Vec<Trial>, Error> {
    let mut trials = Vec::new();
    for name in names {
        let Some(tests) = tests_of(ctx, overlay, name).await? else { continue };
        if tests.is_empty() {
            continue;
        }
        let (prepared, closure) = trials::prepare_overlaid(ctx, overlay, name).await?;
        let prepared = Arc::new(prepared);
        trials.extend(tests.into_iter().enumerate().map(|(index, test)| Trial {
            key: TrialKey { function: name.clone(), number: index + 1, closure: closure.clone() },
            test,
            prepared: Arc::clone(&prepared),
        }));
    }
    Ok(trials)
}

/// Runs tests, several at once, and reports them in order.
pub(super) async fn run_all(ctx: &Ctx, trials: Vec<Trial>) -> Result<Vec<(TrialKey, Tried)>, Error> {
    let mut running = JoinSet::new();
    for (place, trial) in trials.into_iter().enumerate() {
        let ctx = ctx.clone();
        running.spawn(async move { (place, one(&ctx, trial).await) });
    }
    let mut tried = Vec::new();
    while let Some(done) = running.join_next().await {
        let (place, one) = crate::blocking::joined(done);
        tried.push((place, one?));
    }
    tried.sort_by_key(|(place, _)| *place);
    Ok(tried.into_iter().map(|(_, tried)| tried).collect())
}

async fn tests_of(ctx: &Ctx, overlay: &Overlay, name: &EntryName) -> Result<Option<Vec<TestCase>>, Error> {
    let tests = |content: &Content| content.as_function().map(|function| function.tests.clone());
    if let Some(content) = overlay.get(name) {
        return Ok(tests(content));
    }
    let key = EntryKey::function(name.clone());
    let version = ctx.store.live_version(&key).await?;
    Ok(version.and_then(|version| tests(&version.content)))
}

async fn one(ctx: &Ctx, trial: Trial) -> Result<(TrialKey, Tried), Error> {
    let Trial { key, test, prepared } = trial;
    let attempt = Attempt { mocks: &test.mocks, ..Attempt::of(test.input.clone()) };
    let (why, error) = match trials::execute(ctx, &prepared, attempt).await {
        Ok(outcome) => (test.expect.judge(outcome).err(), None),
        Err(Error::Execution(error)) => (Some(error.to_string()), Some(error)),
        Err(error) => return Err(error),
    };
    let (function, number) = (key.function.clone(), key.number);
    let report = TestReport { function, number, name: test.name, passed: why.is_none(), why };
    Ok((key, Tried { report, error }))
}
