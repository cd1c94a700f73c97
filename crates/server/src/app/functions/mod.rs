//! Reading Functions and the other entries: lists, single Versions, what they call and what calls them.

pub mod dependents;
pub(crate) mod evidence;
pub mod mutants;
pub mod names;
pub(crate) mod probes;
pub mod provenance;
pub mod recorded_tests;
pub(crate) mod resolution;
pub mod run_tests;
pub mod search;
pub(crate) mod test_results;
pub(crate) mod trials;
pub(crate) mod twins;
pub mod warming;

use model::access::Access;
use model::access::verb::Verb;
use model::changeset::diff::Diff;
use model::entry::{EntryKey, EntryKind};
use model::function::dependency::Role;
use model::function::{DraftError, FunctionDraft};
use model::name::EntryName;
use model::python::{Analysis, PackFile, PackFunction, read_bare, read_pack};
use model::revision::Revision;
use model::version::{Version, VersionHead, VersionNumber};
use serde::{Deserialize, Serialize};
use store::{EntryPage, EntrySummary};

use self::names::Names;
use super::changesets::drafts::{FunctionIntent, Intent, Proposal};
use super::changesets::{Applied, Breakage, difference, register};
use crate::ctx::Ctx;
use crate::error::Error;
pub use crate::prepare::Which;
pub(crate) use crate::prepare::not_found;

/// A Version with what surrounds it.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct EntryView {
    #[serde(flatten)]
    pub version: Version,
    /// Who wrote it, by name.
    pub who: String,
    pub live: bool,
    /// Live entries that call it.
    pub dependents: Vec<EntryKey>,
    /// Triggers and Schedules that start it.
    pub started_by: Vec<EntryKey>,
}

#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct VersionLine {
    #[serde(flatten)]
    pub head: VersionHead,
    /// Who wrote it, by name.
    pub who: String,
    pub live: bool,
    /// The version that was live before this one became live, the last time it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live_before: Option<VersionNumber>,
}

/// By name, a page at a time.
pub async fn list(
    ctx: &Ctx,
    access: &Access,
    page: EntryPage,
    at: Option<Revision>,
) -> Result<Vec<EntrySummary>, Error> {
    access.may(reads(page.kind))?;
    let page = EntryPage { scope: access.only().clone(), ..page };
    match at {
        None => Ok(ctx.store.entries(&page).await?),
        Some(revision) => {
            check_revision(ctx, revision).await?;
            Ok(ctx.store.entries_as_of(revision, &page).await?)
        }
    }
}

/// The verb of looking at entries of a kind.
fn reads(kind: EntryKind) -> Verb {
    match kind {
        EntryKind::Function | EntryKind::Graph => Verb::ReadFunctions,
        EntryKind::Trigger => Verb::ReadTriggers,
        EntryKind::Schedule => Verb::ReadSchedules,
    }
}

pub async fn version(ctx: &Ctx, access: &Access, key: &EntryKey, which: Which) -> Result<Version, Error> {
    access.may_touch(reads(key.kind), key.name.as_str())?;
    let found = match which {
        Which::Live => ctx.store.live_version(key).await?,
        Which::Number(number) => ctx.store.version(key, number).await?,
        Which::AsOf(revision) => {
            check_revision(ctx, revision).await?;
            ctx.store.version_as_of(key, revision).await?
        }
    };
    match found {
        Some(version) => Ok(version),
        None => Err(not_found(ctx, access.only(), key, which).await?),
    }
}

pub async fn show(ctx: &Ctx, access: &Access, key: &EntryKey, which: Which) -> Result<EntryView, Error> {
    let version = version(ctx, access, key, which).await?;
    let live = match which {
        Which::Live => true,
        _ => {
            let live = ctx.store.live_version(key).await?;
            live.is_some_and(|live| live.head.version_id == version.head.version_id)
        }
    };
    let referrers = ctx.store.referrers(named(key.kind), &[key.name.to_string()], access.only()).await?;
    let by = |wanted: Role| -> Vec<EntryKey> {
        let matching = referrers.iter().filter(|(_, role, who)| *role == wanted && who != key);
        matching.map(|(_, _, who)| who.clone()).collect()
    };
    let who = Names::of_actors(ctx, access, [&version.head.written_by]).await?.who(&version.head.written_by);
    Ok(EntryView { live, dependents: by(Role::Calls), started_by: by(Role::Starts), version, who })
}

/// As which kind an entry is referred to: what is called is recorded as a function, for its name alone does not tell.
fn named(kind: EntryKind) -> EntryKind {
    if kind == EntryKind::Graph { EntryKind::Function } else { kind }
}

/// All Versions of an entry, oldest first; also of one that was deleted.
pub async fn versions(ctx: &Ctx, access: &Access, key: &EntryKey) -> Result<Vec<VersionLine>, Error> {
    access.may_touch(reads(key.kind), key.name.as_str())?;
    let heads = ctx.store.versions(key).await?;
    if heads.is_empty() {
        return Err(not_found(ctx, access.only(), key, Which::Live).await?);
    }
    let live = ctx.store.live_version(key).await?.map(|version| version.head.version_id);
    let history = ctx.store.live_history(key).await?;
    let names = Names::of_actors(ctx, access, heads.iter().map(|head| &head.written_by)).await?;
    let line = |head: VersionHead| VersionLine {
        who: names.who(&head.written_by),
        live: Some(head.version_id) == live,
        live_before: head.number.live_before(&history),
        head,
    };
    Ok(heads.into_iter().map(line).collect())
}

pub async fn diff(ctx: &Ctx, access: &Access, key: &EntryKey, old: Which, new: Which) -> Result<Diff, Error> {
    let old = version(ctx, access, key, old).await?;
    let new = version(ctx, access, key, new).await?;
    Ok(difference(Some(&old.content), Some(&new.content)))
}

/// A Function and all it calls.
pub async fn closure(ctx: &Ctx, access: &Access, name: &EntryName) -> Result<Vec<Version>, Error> {
    access.may_touch(Verb::ReadFunctions, name.as_str())?;
    let versions = ctx.store.closure(name).await?;
    if versions.is_empty() {
        let key = EntryKey::function(name.clone());
        return Err(not_found(ctx, access.only(), &key, Which::Live).await?);
    }
    let seen = versions.into_iter().map(|(version, _)| version);
    Ok(seen.filter(|version| access.covers(version.head.key.name.as_str())).collect())
}

/// Makes another Version live.
pub async fn point(
    ctx: &Ctx,
    access: &Access,
    key: &EntryKey,
    number: VersionNumber,
    breakage: Breakage,
) -> Result<Applied, Error> {
    let title = format!("use version {number} of {}", key.name);
    let proposal = Proposal { breakage, ..Proposal::of(title, vec![Intent::Use(key.clone(), number)]) };
    register(ctx, access, &proposal).await
}

/// The text of one function, as a draft: a decorator states everything, a bare source only itself.
pub fn read_function(text: &str, file: &str, name: Option<&EntryName>) -> Result<Intent, Error> {
    let mut intents = drafts(text, file, name, true)?;
    intents.pop().ok_or(Error::Draft(DraftError::NoSource))
}

/// The same for a file, which may define several if they are not to be stored under this name.
pub fn read_functions(text: &str, file: &str, name: Option<&EntryName>) -> Result<Vec<Intent>, Error> {
    drafts(text, file, name, name.is_some())
}

fn drafts(text: &str, file: &str, name: Option<&EntryName>, one: bool) -> Result<Vec<Intent>, Error> {
    let in_file = |source| Error::Source { file: file.to_owned(), source };
    let PackFile { functions, skipped } = read_pack(text).map_err(in_file)?;
    if functions.is_empty() {
        let bare = read_bare(text, one).map_err(in_file)?;
        return Ok(bare.into_iter().map(|analysis| bare_intent(analysis, name, file)).collect());
    }
    if one && functions.len() > 1 {
        let names: Vec<String> = functions.iter().map(|function| format!("`{}`", function.name)).collect();
        return Err(Error::Input {
            problem: format!("`{file}` defines {} functions: {}", names.len(), names.join(", ")),
            hint: format!("only one is expected here; `selfmade fn add {file}` adds all of them"),
        });
    }
    if let (Some(other), Some(function)) = (skipped.first(), functions.first()) {
        return Err(Error::Input {
            problem: format!(
                "`{file}` defines `{}`, and in line {} `{}` without a decorator",
                function.name, other.line, other.name
            ),
            hint: format!(
                "nothing in the file uses `{other}`: decorate it too, or remove it",
                other = other.name
            ),
        });
    }
    Ok(functions.into_iter().map(|function| decorated_intent(function, name.cloned(), file)).collect())
}

fn bare_intent(analysis: Analysis, name: Option<&EntryName>, file: &str) -> Intent {
    let draft = FunctionDraft { name: name.cloned(), ..FunctionDraft::of_source(&analysis.source) };
    let file = Some(file.to_owned());
    Intent::Function(Box::new(FunctionIntent { draft, analysis: Some(analysis), file }))
}

/// A decorated function, as a pack file or an export has it.
pub(crate) fn decorated_intent(function: PackFunction, name: Option<EntryName>, file: &str) -> Intent {
    let (draft, analysis) = FunctionDraft::of_decorated(function);
    let draft = FunctionDraft { name, ..draft };
    let file = Some(file.to_owned());
    Intent::Function(Box::new(FunctionIntent { draft, analysis: Some(analysis), file }))
}

async fn check_revision(ctx: &Ctx, revision: Revision) -> Result<(), Error> {
    let now = ctx.store.revision().await?;
    if revision > now { Err(Error::RevisionNotFound { revision, now }) } else { Ok(()) }
}

/// Whether functions or graphs or the rest.
pub async fn counts(ctx: &Ctx, access: &Access) -> Result<Vec<(EntryKind, u64)>, Error> {
    access.may(Verb::ReadBrain)?;
    let mut counts = Vec::new();
    for kind in EntryKind::ALL {
        counts.push((kind, ctx.store.entry_count(kind, access.only()).await?));
    }
    Ok(counts)
}
