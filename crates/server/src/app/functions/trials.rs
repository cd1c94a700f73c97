//! Trials: executions that leave no record. Drafts are tried before they are stored, and tests run against them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

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
use model::run::step::Step;
use model::version::{ContentHash, Version, VersionHead, VersionNumber};
use sandbox::{Arguments, CancellationToken, Closure, Isolation};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::app::changesets::drafts::{Proposal, draft};
use crate::app::runs;
use crate::ctx::Ctx;
use crate::engine::{TrialHost, trial_end, trial_work, with_mocks};
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
    match execute(ctx, &prepared, Attempt::of(input)).await? {
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

/// One execution, and how it differs from that of a Run.
pub(crate) struct Attempt<'a> {
    pub(crate) input: Map<String, Value>,
    pub(crate) mocks: &'a [Mock],
    /// What a recorded Run asked for, and what it got.
    pub(crate) recorded: Option<&'a [Step]>,
    /// Another source of the same function.
    pub(crate) source: Option<&'a str>,
    /// A shorter time than it has.
    pub(crate) at_most: Option<Duration>,
}

impl Attempt<'_> {
    pub(crate) fn of(input: Map<String, Value>) -> Self {
        Attempt { input, mocks: &[], recorded: None, source: None, at_most: None }
    }
}

/// Executes once, with stand-ins, and says what resulted from it.
pub(crate) async fn execute(
    ctx: &Ctx,
    prepared: &Prepared,
    attempt: Attempt<'_>,
) -> Result<Result<Value, RunError>, Error> {
    // As many cells at once as runs from the queue may have. A trial starts no others, so nobody waits for it in vain.
    let _place = ctx.engine.trials.acquire().await;
    let Some(function) = prepared.function() else {
        return Err(Error::Input {
            problem: format!("`{}` is a graph, and only functions are tried", prepared.key.name),
            hint: "apply it and run it".to_owned(),
        });
    };
    let Attempt { input, mocks, recorded, source, at_most } = attempt;
    let host = TrialHost::new(ctx.clone(), mocks, recorded);
    let mut work = trial_work(ctx, &runs::pretended(ctx, prepared, input), function)?;
    work.closure = with_source(with_mocks(&function.closure, mocks), source);
    work.isolation = Isolation::Fresh;
    // What a trial sends out cannot be taken back.
    work.egress = None;
    work.verbs = host.verbs(function);
    if let Some(most) = at_most {
        work.limits.wall = work.limits.wall.min(most);
        work.limits.cpu = work.limits.cpu.min(most);
    }
    let told = Arc::new(|_| ());
    let executed = ctx.engine.executor.execute(work, Arc::new(host), told, CancellationToken::new()).await?;
    Ok(trial_end(function, executed))
}

/// The closure with another source of what is tried.
fn with_source(closure: Arc<Closure>, source: Option<&str>) -> Arc<Closure> {
    let Some(source) = source else { return closure };
    let mut closure = Arc::unwrap_or_clone(closure);
    source.clone_into(&mut closure.functions[closure.entry].source);
    Arc::new(closure)
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
