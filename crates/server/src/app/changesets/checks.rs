//! Runs the gates of a Changeset that need only what is written.

use std::collections::HashSet;

use model::access::Access;
use model::changeset::application::plan;
use model::changeset::check::{
    Check, Finding, Gate, Outcome, Surroundings, Verdict, check_names, check_types,
};
use model::changeset::{Change, Live};
use model::entry::{EntryKey, EntryKind};
use model::ids::{EntryId, VersionId};
use model::version::VersionNumber;
use uuid::Uuid;

use super::drafts::Drafted;
use super::{graph_checks, policy, start_checks};
use crate::app::functions::test_results::TestResults;
use crate::app::functions::{resolution, run_tests};
use crate::ctx::Ctx;
use crate::error::Error;

/// What the checks are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Whoever asks wants to apply it now.
    ToApply,
    /// Someone will read it, and decide.
    ToRead,
}

pub(crate) async fn run(
    ctx: &Ctx,
    access: &Access,
    drafted: &Drafted,
    asked: Asked,
    results: &mut TestResults,
) -> Result<Vec<Check>, Error> {
    let outcomes: Vec<Outcome<'_>> = drafted.changes.iter().map(|change| outcome(change, drafted)).collect();
    let mut around = Surroundings {
        live: drafted.snapshot.live(),
        pinned: pinned(drafted),
        referrers: drafted.snapshot.referrers.clone(),
        known_names: Vec::new(),
        places: drafted.places.clone(),
    };
    let mut names = check_names(&outcomes, &around);
    if names.verdict == Verdict::Failed {
        // Suggestions need all names, which is worth the reading only when there is something to suggest.
        around.known_names = ctx.store.entry_names(EntryKind::Function, &access.authority.callable()).await?;
        names = check_names(&outcomes, &around);
    }
    let flawed = outcomes.iter().filter_map(flaw);
    let parses = Check::of(Gate::Parses, drafted.findings.iter().cloned().chain(flawed).collect());
    let types = check_types(&outcomes).findings.into_iter();
    let types = types
        .chain(start_checks::findings(ctx, &outcomes).await?)
        .chain(graph_checks::findings(ctx, access, &outcomes).await?)
        .chain(resolution::findings(ctx, &written(drafted, &outcomes), results).await);
    let types = Check::of(Gate::Types, types.collect());
    let tests = tests(ctx, access, drafted, &[&parses, &names, &types], results).await?;
    let policy = policy::check(ctx, access, drafted, &outcomes, asked).await?;
    Ok(vec![parses, names, types, tests, policy])
}

/// Those that are new. What was stored before was judged then.
fn written<'a>(drafted: &Drafted, outcomes: &[Outcome<'a>]) -> Vec<Outcome<'a>> {
    let pairs = drafted.changes.iter().zip(outcomes);
    let is_new = |change: &Change| matches!(change.live, Live::Added(_));
    pairs.filter(|(change, _)| is_new(change)).map(|(_, outcome)| *outcome).collect()
}

fn outcome<'a>(change: &'a Change, drafted: &'a Drafted) -> Outcome<'a> {
    let after = match change.live {
        Live::Added(_) => change.added_live(),
        Live::Existing(_) => drafted.existing.get(&change.key),
        Live::Nothing => None,
    };
    Outcome { key: &change.key, after }
}

/// A Version of an imported history whose source cannot be read is kept, and never live.
fn flaw(outcome: &Outcome<'_>) -> Option<Finding> {
    let flaw = outcome.after?.as_function()?.flaw.as_ref()?;
    Some(Finding::error(outcome.key.clone(), format!("this version cannot be live: {flaw}")))
}

/// The Versions that are there, and those that the changes write.
fn pinned(drafted: &Drafted) -> HashSet<(EntryKey, VersionNumber)> {
    let known = drafted.snapshot.entries.iter();
    let known =
        known.flat_map(|(key, state)| state.versions.iter().map(|version| (key.clone(), version.number)));
    // Ids do not matter here, and a plan that fails is refused where it is executed.
    let ids = || (EntryId(Uuid::nil()), VersionId(Uuid::nil()));
    let moves = plan(&drafted.changes, &drafted.snapshot.entries, || ids().0, || ids().1).unwrap_or_default();
    let written =
        moves.iter().flat_map(|moved| moved.writes.iter().map(|write| (moved.key.clone(), write.number)));
    known.chain(written).collect()
}

/// Nothing is executed that does not even hold together.
async fn tests(
    ctx: &Ctx,
    access: &Access,
    drafted: &Drafted,
    before: &[&Check],
    results: &mut TestResults,
) -> Result<Check, Error> {
    if !results.is_resolved() {
        return Ok(Check::not_run(Gate::Tests, "it is not known yet which packages can be installed"));
    }
    if before.iter().any(|check| check.verdict == Verdict::Failed) {
        return Ok(Check::not_run(Gate::Tests, "another check failed before"));
    }
    run_tests::check(ctx, access, drafted, results).await
}
