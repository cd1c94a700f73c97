//! Runs the gates of a Changeset that need only what is written.

use std::collections::HashSet;
use std::sync::Arc;

use model::access::verb::Verb;
use model::access::{Access, Authority};
use model::changeset::application::plan;
use model::changeset::check::{
    Check, Finding, Gate, Outcome, Severity, Surroundings, Verdict, check_names, check_types,
};
use model::changeset::{Change, Live};
use model::entry::{EntryKey, EntryKind};
use model::ids::{EntryId, VersionId};
use model::version::VersionNumber;
use uuid::Uuid;

use super::drafts::Drafted;
use super::{Breakage, fit_checks, graph_checks, policy, preset_checks, secret_checks, start_checks};
use crate::app::functions::test_results::TestResults;
use crate::app::functions::{resolution, run_tests};
use crate::ctx::Ctx;
use crate::error::Error;

/// What the checks are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckPurpose {
    /// Whoever asks wants to apply it now.
    ToApply(Breakage),
    /// Someone will read it, and decide.
    ToRead,
}

impl CheckPurpose {
    fn accepts_breakage(self) -> bool {
        self == CheckPurpose::ToApply(Breakage::Accepted)
    }
}

pub(crate) async fn run(
    ctx: &Ctx,
    access: &Access,
    drafted: &Drafted,
    asked: CheckPurpose,
    results: &mut TestResults,
) -> Result<Vec<Check>, Error> {
    let outcomes: Vec<Outcome<'_>> = drafted.changes.iter().map(|change| outcome(change, drafted)).collect();
    let mut names = names(ctx, access, drafted, &outcomes).await?;
    names.findings.extend(secret_checks::findings(ctx, access, &outcomes).await?);
    let flawed = outcomes.iter().filter_map(flaw);
    let parses = Check::of(Gate::Parses, drafted.findings.iter().cloned().chain(flawed).collect());
    let types = check_types(&outcomes).findings.into_iter();
    let types = types
        .chain(start_checks::findings(ctx, access, &outcomes).await?)
        .chain(fit_checks::findings(ctx, access, drafted, &outcomes).await?)
        .chain(preset_checks::findings(ctx, access, &outcomes).await?)
        .chain(graph_checks::findings(ctx, access, &outcomes).await?);
    let changes = |key: &EntryKey| outcomes.iter().any(|outcome| outcome.key == key);
    let judged = |check: Check| if asked.accepts_breakage() { check.forced(changes) } else { check };
    let mut types = judged(Check::of(Gate::Types, types.collect()));
    if !failed(&[&parses, &names, &types]) {
        let packages = Check::of(Gate::Types, resolution::findings(ctx, &written(drafted), results).await);
        types.findings.extend(packages.findings);
        if packages.verdict == Verdict::Failed {
            types.verdict = Verdict::Failed;
        }
    }
    let tests = judged(tests(ctx, access, drafted, &[&parses, &names, &types], results).await?);
    let policy = policy::check(ctx, access, drafted, &outcomes, asked).await?;
    Ok(vec![parses, names, types, tests, policy])
}

/// What keeps a script from being run, which is stored nowhere: it does not hold together, or names what is not there.
pub(crate) async fn of_code(ctx: &Ctx, access: &Access, drafted: &Drafted) -> Result<Vec<Finding>, Error> {
    access.may(Verb::ProposeChangeset)?;
    let outcomes: Vec<Outcome<'_>> = drafted.changes.iter().map(|change| outcome(change, drafted)).collect();
    let names = names(ctx, access, drafted, &outcomes).await?;
    let findings = drafted.findings.iter().cloned().chain(names.findings);
    Ok(findings.filter(|finding| finding.severity == Severity::Error).collect())
}

async fn names(
    ctx: &Ctx,
    access: &Access,
    drafted: &Drafted,
    outcomes: &[Outcome<'_>],
) -> Result<Check, Error> {
    let mut around = Surroundings {
        live: drafted.snapshot.live(),
        pinned: pinned(drafted),
        referrers: drafted.snapshot.referrers.clone(),
        deleted: deleted(outcomes),
        known_names: Vec::new(),
        places: drafted.places.clone(),
    };
    let names = check_names(outcomes, &around);
    if names.verdict != Verdict::Failed {
        return Ok(names);
    }
    // Suggestions need all names, which is worth the reading only when there is something to suggest.
    around.known_names = ctx.store.entry_names(EntryKind::Function, &access.authority.callable()).await?;
    Ok(check_names(outcomes, &around))
}

/// The gate `policy` for somebody who wrote a part of it.
pub(super) async fn policy_for(
    ctx: &Ctx,
    editor: &Authority,
    drafted: &Drafted,
    asked: CheckPurpose,
) -> Result<Check, Error> {
    let outcomes: Vec<Outcome<'_>> = drafted.changes.iter().map(|change| outcome(change, drafted)).collect();
    let access = Access { actor: editor.holder.clone(), authority: Arc::new(editor.clone()) };
    policy::check(ctx, &access, drafted, &outcomes, asked).await
}

/// The contents that are new. What is stored was judged when it was.
fn written<'a>(drafted: &'a Drafted) -> Vec<Outcome<'a>> {
    let is_new = |change: &&Change| {
        let Live::Added(index) = change.live else { return false };
        let versions = drafted.snapshot.entries.get(&change.key).map(|state| state.versions.as_slice());
        let hash = change.adds.get(index).map(|version| version.snapshot.hash);
        !versions.unwrap_or_default().iter().any(|version| Some(version.content_hash) == hash)
    };
    drafted.changes.iter().filter(is_new).map(|change| outcome(change, drafted)).collect()
}

fn failed(checks: &[&Check]) -> bool {
    checks.iter().any(|check| check.verdict == Verdict::Failed)
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

fn deleted(outcomes: &[Outcome<'_>]) -> HashSet<String> {
    let is_callable = |key: &EntryKey| matches!(key.kind, EntryKind::Function | EntryKind::Graph);
    let deleted = outcomes.iter().filter(|outcome| outcome.after.is_none() && is_callable(outcome.key));
    deleted.map(|outcome| outcome.key.name.to_string()).collect()
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
    if failed(before) {
        return Ok(Check::not_run(Gate::Tests, "another check failed before"));
    }
    run_tests::check(ctx, access, drafted, results).await
}
