//! A workspace: the drafts of a Run, visible only to that Run until it proposes them. What is done with them is done the same way
//! whoever asks for it, a function or a language model.

use std::sync::{Mutex, MutexGuard, PoisonError};

use model::access::Access;
use model::access::verb::Verb;
use model::changeset::Changeset;
use model::changeset::check::Check;
use model::content::Content;
use model::name::EntryName;

use super::drafts::{Intent, Proposal};
use crate::app::changesets;
use crate::app::functions::{self, trials};
use crate::ctx::Ctx;
use crate::error::Error;

/// What a source is called in what is said about it.
const FILE: &str = "draft.py";

#[derive(Default)]
pub(crate) struct Workspace {
    drafts: Mutex<Vec<(EntryName, Intent)>>,
}

impl Workspace {
    /// A second draft of a name replaces the first.
    pub(crate) fn put(&self, name: EntryName, intent: Intent) {
        let mut drafts = self.lock();
        drafts.retain(|(other, _)| *other != name);
        drafts.push((name, intent));
    }

    /// The same for a source that was drafted before.
    pub(crate) fn put_source(&self, source: &str, name: Option<String>) -> Result<(), Error> {
        let (name, intent) = read(source, name)?;
        self.put(name, intent);
        Ok(())
    }

    pub(crate) fn names(&self) -> Vec<EntryName> {
        self.lock().iter().map(|(name, _)| name.clone()).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    pub(crate) fn proposal(&self, title: &str) -> Proposal {
        Proposal::of(title, self.lock().iter().map(|(_, intent)| intent.clone()).collect())
    }

    /// All drafts, if this is one of them.
    pub(crate) fn proposal_with(&self, name: &EntryName) -> Option<Proposal> {
        let is_drafted = self.lock().iter().any(|(other, _)| other == name);
        is_drafted.then(|| self.proposal(""))
    }

    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(EntryName, Intent)>> {
        // Nothing that holds the lock can panic half-way through a change.
        self.drafts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The source of a function, decorated or bare.
fn read(source: &str, name: Option<String>) -> Result<(EntryName, Intent), Error> {
    let name = name.map(|name| name.parse()).transpose()?;
    let intent = functions::read_function(source, FILE, name.as_ref())?;
    let name = match (name, &intent) {
        (Some(name), _) => name,
        (None, Intent::Function(function)) => function.name()?,
        (None, _) => unreachable!("a source is the intent of a function"),
    };
    Ok((name, intent))
}

/// Drafts a function, and says what it would be stored as.
pub(crate) async fn draft(
    ctx: &Ctx,
    access: &Access,
    workspace: &Workspace,
    source: &str,
    name: Option<String>,
) -> Result<(EntryName, Content), Error> {
    access.may(Verb::ProposeChangeset)?;
    let (name, intent) = read(source, name)?;
    let proposal = Proposal::of("", vec![intent.clone()]);
    let content = trials::drafted_content(ctx, access, &proposal, &name).await?;
    workspace.put(name.clone(), intent);
    Ok((name, content))
}

/// A function as one of the drafts has it; nothing if none is of it.
pub(crate) async fn drafted(
    ctx: &Ctx,
    access: &Access,
    workspace: &Workspace,
    name: &EntryName,
) -> Result<Option<Content>, Error> {
    access.may_touch(Verb::ReadFunctions, name.as_str())?;
    match workspace.proposal_with(name) {
        Some(proposal) => trials::drafted_content(ctx, access, &proposal, name).await.map(Some),
        None => Ok(None),
    }
}

/// Checks all drafts together.
pub(crate) async fn check(ctx: &Ctx, access: &Access, workspace: &Workspace) -> Result<Vec<Check>, Error> {
    access.may(Verb::ProposeChangeset)?;
    changesets::check(ctx, access, &workspace.proposal("")).await
}

/// Proposes all drafts as one Changeset, and is done with them. `once` names it: asked for again, the first one is found.
pub(crate) async fn propose(
    ctx: &Ctx,
    access: &Access,
    workspace: &Workspace,
    title: &str,
    once: String,
) -> Result<Changeset, Error> {
    access.may(Verb::ProposeChangeset)?;
    let proposal = Proposal { once: Some(once), ..workspace.proposal(title) };
    let policy = ctx.engine.config.changesets;
    let proposed = changesets::propose_by_policy(ctx, access, &proposal, policy).await?;
    workspace.clear();
    Ok(proposed)
}
