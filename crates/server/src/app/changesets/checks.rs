//! Runs the gates of a Changeset.

use std::collections::HashSet;
use std::sync::Arc;

use model::access::verb::Verb;
use model::access::{Access, Authority};
use model::changeset::application::{Move, plan};
use model::changeset::check::{
    Check, Finding, Gate, Outcome, Severity, Surroundings, Verdict, check_names, check_types,
};
use model::changeset::{Change, Live};
use model::entry::{EntryKey, EntryKind};
use model::ids::{EntryId, VersionId};
use model::version::VersionNumber;
use uuid::Uuid;

use super::drafts::Drafted;
use super::gates::{self, Parties};
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

/// `author` is who wrote it, `access` whoever applies or reads it now.
pub(crate) async fn run(
    ctx: &Ctx,
    author: &Access,
    access: &Access,
    drafted: &Drafted,
    asked: CheckPurpose,
    results: &mut TestResults,
) -> Result<Vec<Check>, Error> {
    let outcomes: Vec<Outcome<'_>> = drafted.changes.iter().map(|change| outcome(change, drafted)).collect();
    let moves = moves(drafted);
    let mut names = names(ctx, access, drafted, &outcomes, moves.as_deref().unwrap_or_default()).await?;
    names.findings.extend(secret_checks::findings(ctx, access, &outcomes).await?);
    let flawed = outcomes.iter().filter_map(flaw);
    let parses = Check::of(Gate::Parses, drafted.findings.iter().cloned().chain(flawed).collect());
    // What is stated again as it is stored, as by an import, is not the fault of these changes if it does not fit.
    let moved: Option<HashSet<&EntryKey>> =
        moves.as_ref().map(|moves| moves.iter().map(|moved| &moved.key).collect());
    let is_changed = |key: &EntryKey| moved.as_ref().is_none_or(|moved| moved.contains(key));
    let changed: Vec<Outcome<'_>> =
        outcomes.iter().copied().filter(|outcome| is_changed(outcome.key)).collect();
    let types = check_types(&changed).findings.into_iter();
    let types = types
        .chain(start_checks::findings(ctx, access, &changed).await?)
        .chain(fit_checks::findings(ctx, access, drafted, &changed).await?)
        .chain(graph_checks::findings(ctx, access, &changed).await?);
    let judged = |check: Check| if asked.accepts_breakage() { check.forced(is_changed) } else { check };
    let types = judged(Check::of(Gate::Types, types.collect()));
    // A preset is told at what it is for, and is stored all the same: it can always break.
    let presets = Check::of(Gate::Types, preset_checks::findings(ctx, access, &changed).await?);
    let presets = if asked.accepts_breakage() { presets.forced(|_| false) } else { presets };
    let mut types = types.and(presets);
    if !failed(&[&parses, &names, &types]) {
        let packages = resolution::findings(ctx, &written(drafted), results).await;
        types = types.and(Check::of(Gate::Types, packages));
    }
    let tests = judged(tests(ctx, access, drafted, &[&parses, &names, &types], results).await?);
    let (before, parties) = ([&parses, &names, &types, &tests], Parties { author, reader: access });
    let gates = gates::run(ctx, parties, drafted, &written(drafted), &before, results).await?;
    let policy = policy::check(ctx, access, drafted, &outcomes, asked).await?;
    Ok([parses, names, types, tests].into_iter().chain(gates).chain([policy]).collect())
}

/// What keeps a script from being run, which is stored nowhere: it does not hold together, or names what is not there.
pub(crate) async fn of_code(ctx: &Ctx, access: &Access, drafted: &Drafted) -> Result<Vec<Finding>, Error> {
    access.may(Verb::ProposeChangeset)?;
    let outcomes: Vec<Outcome<'_>> = drafted.changes.iter().map(|change| outcome(change, drafted)).collect();
    let moves = moves(drafted);
    let names = names(ctx, access, drafted, &outcomes, moves.as_deref().unwrap_or_default()).await?;
    let findings = drafted.findings.iter().cloned().chain(names.findings);
    Ok(findings.filter(|finding| finding.severity == Severity::Error).collect())
}

async fn names(
    ctx: &Ctx,
    access: &Access,
    drafted: &Drafted,
    outcomes: &[Outcome<'_>],
    moves: &[Move],
) -> Result<Check, Error> {
    let mut around = Surroundings {
        live: drafted.snapshot.live(),
        pinned: pinned(drafted, moves),
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

/// What the changes come to; nothing if they cannot be planned, which is refused where the plan is executed.
fn moves(drafted: &Drafted) -> Option<Vec<Move>> {
    // Ids do not matter here.
    let (entry, version) = (|| EntryId(Uuid::nil()), || VersionId(Uuid::nil()));
    plan(&drafted.changes, &drafted.snapshot.entries, entry, version).ok()
}

/// The Versions that are there, and those that the changes write.
fn pinned(drafted: &Drafted, moves: &[Move]) -> HashSet<(EntryKey, VersionNumber)> {
    let known = drafted.snapshot.entries.iter();
    let known =
        known.flat_map(|(key, state)| state.versions.iter().map(|version| (key.clone(), version.number)));
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
