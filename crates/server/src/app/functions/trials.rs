//! Trials: executions that leave no record. Drafts are tried before they are stored, and tests run against them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use model::access::Access;
use model::access::actor::Actor;
use model::access::verb::Verb;
use model::changeset::Change;
use model::content::{Content, Snapshot};
use model::entry::EntryKey;
use model::function::test_case::Mock;
use model::ids::{ChangesetId, EntryId, VersionId};
use model::input::bind;
use model::name::EntryName;
use model::run::RunError;
use model::version::{ContentHash, Version, VersionHead, VersionNumber};
use sandbox::{Arguments, CancellationToken, Isolation};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::app::changesets::drafts::{Proposal, draft};
use crate::app::runs;
use crate::ctx::Ctx;
use crate::engine::{TrialHost, Work, trial_end, trial_work, with_mocks};
use crate::error::Error;
use crate::prepare::{Prepared, prepare};

/// Contents that are tried as if they were live.
pub(crate) type Overlay = HashMap<EntryName, Content>;

/// What the changes would make live.
pub(crate) fn overlay(changes: &[Change]) -> Overlay {
    let functions = changes.iter().filter(|change| change.key.kind == model::entry::EntryKind::Function);
    functions
        .filter_map(|change| change.added_live().map(|content| (change.key.name.clone(), content.clone())))
        .collect()
}

/// The content a draft would have.
pub(crate) async fn drafted_content(
    ctx: &Ctx,
    access: &Access,
    proposal: &Proposal,
    name: &EntryName,
) -> Result<Content, Error> {
    access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    let drafted = draft(ctx, access, proposal).await?;
    let absent = || Error::Absent { noun: "draft", name: name.to_string() };
    overlay(&drafted.changes).remove(name).ok_or_else(absent)
}

/// Runs a draft once, with what it calls being drafts too where there are some.
pub(crate) async fn run_draft(
    ctx: &Ctx,
    access: &Access,
    proposal: &Proposal,
    name: &EntryName,
    arguments: Arguments,
) -> Result<Value, Error> {
    access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    let drafted = draft(ctx, access, proposal).await?;
    refuse_calls_outside(access, &drafted.changes)?;
    let (prepared, _) = prepare_overlaid(ctx, &overlay(&drafted.changes), name).await?;
    let wrong = |source| Error::RunInput { key: prepared.key.clone(), source };
    let positional = arguments.positional.iter().map(sandbox::Value::to_json).collect();
    let named = arguments.named.iter().map(|(name, value)| (name.clone(), value.to_json())).collect();
    let input = bind(prepared.signature(), positional, named).map_err(wrong)?;
    prepared.schema.check(&input).map_err(wrong)?;
    match execute(ctx, &prepared, input, &[]).await? {
        Ok(value) => Ok(value),
        Err(error) => Err(Error::DraftFailed { function: name.clone(), error }),
    }
}

/// What a stored source calls was judged when it was applied; what a draft calls is judged here.
fn refuse_calls_outside(access: &Access, changes: &[Change]) -> Result<(), Error> {
    let contents = changes.iter().filter_map(Change::added_live).filter_map(Content::as_function);
    for dependency in contents.flat_map(|function| &function.dependencies) {
        if !access.authority.may_call(&dependency.function) {
            access.may_touch(Verb::StartRun, &dependency.function)?;
        }
    }
    Ok(())
}

/// Executes once, with stand-ins, and says what resulted from it.
pub(crate) async fn execute(
    ctx: &Ctx,
    prepared: &Prepared,
    input: Map<String, Value>,
    mocks: &[Mock],
) -> Result<Result<Value, RunError>, Error> {
    // As many cells at once as runs from the queue may have. A trial starts no others, so nobody waits for it in vain.
    let _place = ctx.engine.trials.acquire().await;
    let Some(function) = prepared.function() else {
        return Err(Error::Input {
            problem: format!("`{}` is a graph, and only functions are tried", prepared.key.name),
            hint: "apply it and run it".to_owned(),
        });
    };
    let host = TrialHost::new(ctx.clone(), mocks);
    let work = Work {
        closure: with_mocks(&function.closure, mocks),
        isolation: Isolation::Fresh,
        // What a trial sends out cannot be taken back.
        egress: None,
        verbs: host.verbs(function),
        ..trial_work(ctx, &runs::pretended(ctx, prepared, input), function)?
    };
    let told = Arc::new(|_| ());
    let executed = ctx.engine.executor.execute(work, Arc::new(host), told, CancellationToken::new()).await?;
    Ok(trial_end(function, executed))
}

/// The closure of a Function with contents of the overlay in place of what is live, and what it is made of.
pub(crate) async fn prepare_overlaid(
    ctx: &Ctx,
    overlay: &Overlay,
    root: &EntryName,
) -> Result<(Prepared, Vec<(EntryName, ContentHash)>), Error> {
    let revision = ctx.store.revision().await?;
    let mut versions: Vec<(Version, bool)> = Vec::new();
    let mut seen: HashSet<VersionId> = HashSet::new();
    let mut done: HashSet<EntryName> = HashSet::new();
    let mut next = vec![root.clone()];
    while let Some(name) = next.pop() {
        if !done.insert(name.clone()) {
            continue;
        }
        if let Some(content) = overlay.get(&name) {
            versions.push((pretended(ctx, &name, content.clone()), true));
            next.extend(callees(content));
            continue;
        }
        for (version, live) in ctx.store.closure(&name).await? {
            if live && overlay.contains_key(&version.head.key.name) {
                next.push(version.head.key.name.clone());
            } else if seen.insert(version.head.version_id) {
                versions.push((version, live));
            }
        }
    }
    versions.sort_by_key(|(version, live)| !*live || version.head.key.name != *root);
    let head = |(version, _): &(Version, bool)| (version.head.key.name.clone(), version.head.content_hash);
    let contents = versions.iter().map(head).collect();
    match prepare(&versions, revision) {
        Some(prepared) => Ok((prepared, contents)),
        None => Err(Error::NotFound { key: EntryKey::function(root.clone()), near: None }),
    }
}

fn callees(content: &Content) -> Vec<EntryName> {
    let called = content.as_function().map(|function| function.dependencies.as_slice()).unwrap_or_default();
    called.iter().filter_map(|dependency| EntryName::new(&dependency.function).ok()).collect()
}

/// A Version that is not stored.
fn pretended(ctx: &Ctx, name: &EntryName, content: Content) -> Version {
    let snapshot = Snapshot::of(content);
    Version {
        head: VersionHead {
            key: EntryKey::function(name.clone()),
            entry_id: EntryId(Uuid::nil()),
            version_id: ctx.ids.version(),
            number: VersionNumber(0),
            content_hash: snapshot.hash,
            changeset_id: ChangesetId(Uuid::nil()),
            written_by: Actor::CommandLine,
            written_at: ctx.clock.now(),
        },
        content: snapshot.content.clone(),
    }
}
