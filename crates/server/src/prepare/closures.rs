//! What every Function loads, in memory, keyed by revision: starting a Run is the same work however many are stored.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::access::scope::Scope;
use model::content::{Content, Snapshot};
use model::entry::{EntryKey, EntryKind};
use model::function::closure::ClosureHash;
use model::graph::draft::Draft;
use model::graph::{GraphContent, Node};
use model::ids::VersionId;
use model::name::EntryName;
use model::revision::Revision;
use model::run::draft::{Code, DraftContent};
use model::run::{Run, RunDraft};
use model::version::{Version, VersionNumber};

use super::prepared::{Prepared, prepare, prepare_draft};
use super::which::{Which, not_found};
use crate::ctx::Ctx;
use crate::error::Error;

/// Closures that are kept; beyond that all are dropped, which costs one read each to undo.
const KEPT: usize = 10_000;
/// The brain may move while a closure is read.
const ATTEMPTS: usize = 64;

#[derive(Default)]
pub(crate) struct Closures {
    kept: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    revision: Revision,
    live: HashMap<EntryName, Arc<Prepared>>,
    /// What Runs were recorded with. It never changes, so it is never forgotten for that.
    recorded: HashMap<Recorded, Arc<Prepared>>,
    /// As the brain was, for the nodes of Graphs that go on while it moves. It never changes either.
    past: HashMap<(EntryName, Revision), Arc<Prepared>>,
}

type Recorded = (VersionId, ClosureHash);

impl Closures {
    /// Of the live Version, as the brain is now.
    pub(crate) async fn live(&self, ctx: &Ctx, name: &EntryName) -> Result<Arc<Prepared>, Error> {
        for _ in 0..ATTEMPTS {
            let revision = self.catch_up(ctx).await?;
            if let Some(prepared) = self.lock().live.get(name) {
                prepared.holds_at(revision);
                return Ok(Arc::clone(prepared));
            }
            let mut versions = ctx.store.closure(name).await?;
            versions.sort_by_key(|(version, live)| !*live || version.head.key.name != *name);
            if ctx.store.revision().await? != revision {
                continue;
            }
            let Some(prepared) = prepare(&versions, revision) else {
                return Err(
                    not_found(ctx, &Scope::none(), &EntryKey::function(name.clone()), Which::Live).await?
                );
            };
            let prepared = Arc::new(prepared);
            self.keep(revision, name, &prepared);
            return Ok(prepared);
        }
        Err(Error::Contended)
    }

    /// The same for whoever has just read where the brain is.
    pub(crate) async fn live_at(
        &self,
        ctx: &Ctx,
        name: &EntryName,
        now: Revision,
    ) -> Result<Arc<Prepared>, Error> {
        let kept = {
            let kept = self.lock();
            kept.live.get(name).filter(|_| kept.revision == now).map(Arc::clone)
        };
        match kept {
            Some(prepared) => Ok(prepared),
            None => self.live(ctx, name).await,
        }
    }

    /// Of any Version, calling what is live now.
    pub(crate) async fn of_version(&self, ctx: &Ctx, version: VersionId) -> Result<Arc<Prepared>, Error> {
        for _ in 0..ATTEMPTS {
            let revision = ctx.store.revision().await?;
            let mut versions = ctx.store.closure_of(version).await?;
            versions.sort_by_key(|(member, _)| member.head.version_id != version);
            if ctx.store.revision().await? == revision {
                return prepare(&versions, revision).map(Arc::new).ok_or(Error::ClosureGone);
            }
        }
        Err(Error::Contended)
    }

    /// Of the Version that was live at a revision, calling what was live then.
    pub(crate) async fn as_of(
        &self,
        ctx: &Ctx,
        name: &EntryName,
        revision: Revision,
    ) -> Result<Arc<Prepared>, Error> {
        if ctx.store.revision().await? == revision {
            let prepared = self.live(ctx, name).await?;
            if prepared.revision() <= revision {
                return Ok(prepared);
            }
        }
        let past = (name.clone(), revision);
        if let Some(prepared) = self.lock().past.get(&past) {
            return Ok(Arc::clone(prepared));
        }
        let mut versions = ctx.store.closure_as_of(name, revision).await?;
        versions.sort_by_key(|(version, live)| !*live || version.head.key.name != *name);
        let Some(prepared) = prepare(&versions, revision).map(Arc::new) else {
            let key = EntryKey::function(name.clone());
            return Err(not_found(ctx, &Scope::none(), &key, Which::AsOf(revision)).await?);
        };
        let mut kept = self.lock();
        if kept.past.len() >= KEPT {
            kept.past.clear();
        }
        kept.past.insert(past, Arc::clone(&prepared));
        Ok(prepared)
    }

    /// Exactly what an earlier Run loaded.
    async fn recorded(
        &self,
        ctx: &Ctx,
        root: VersionId,
        hash: ClosureHash,
        revision: Revision,
    ) -> Result<Arc<Prepared>, Error> {
        let key = (root, hash);
        if let Some(prepared) = self.lock().recorded.get(&key) {
            return Ok(Arc::clone(prepared));
        }
        let mut versions = ctx.store.closure_versions(hash).await?;
        versions.sort_by_key(|(version, _)| version.head.version_id != root);
        let prepared = prepare(&versions, revision).map(Arc::new).ok_or(Error::ClosureGone)?;
        let mut kept = self.lock();
        if kept.recorded.len() >= KEPT {
            kept.recorded.clear();
        }
        kept.recorded.insert(key, Arc::clone(&prepared));
        Ok(prepared)
    }

    /// What a Run that was recorded before has to load: exactly what it was recorded with.
    pub(crate) async fn for_run(&self, ctx: &Ctx, run: &Run) -> Result<Arc<Prepared>, Error> {
        match (run.version_id, run.closure) {
            (Some(version), Some(hash)) => self.recorded(ctx, version, hash, run.revision).await,
            (None, Some(hash)) => self.recorded_draft(ctx, run, hash).await,
            _ => Err(Error::ClosureGone),
        }
    }

    /// Of a draft of a Graph, calling what is live now.
    pub(crate) async fn of_draft(&self, ctx: &Ctx, draft: &Draft) -> Result<Arc<Prepared>, Error> {
        let content = Content::Graph(draft.content.clone());
        let recorded = RunDraft { edit: draft.edit, base: draft.base, content: Snapshot::of(content).hash };
        for _ in 0..ATTEMPTS {
            let revision = ctx.store.revision().await?;
            let mut versions = BTreeMap::new();
            for (name, number) in calls(&draft.content) {
                for (version, is_live) in called(ctx, &name, number).await? {
                    versions.insert(version.head.version_id, (version, is_live));
                }
            }
            if ctx.store.revision().await? == revision {
                let versions: Vec<(Version, bool)> = versions.into_values().collect();
                let content = DraftContent::Graph(draft.content.clone());
                let prepared = prepare_draft(&draft.name, recorded, content, &versions, revision);
                return prepared.map(Arc::new).ok_or(Error::ClosureGone);
            }
        }
        Err(Error::Contended)
    }

    /// Of a script, calling what is live now, or was at a revision.
    pub(crate) async fn of_code(
        &self,
        ctx: &Ctx,
        name: &EntryName,
        code: &Code,
        then: Option<Revision>,
    ) -> Result<Arc<Prepared>, Error> {
        let hash = Snapshot::of(Content::Function(code.function.clone())).hash;
        let draft = RunDraft { edit: 0, base: None, content: hash };
        for _ in 0..ATTEMPTS {
            let revision = ctx.store.revision().await?;
            let mut versions = BTreeMap::new();
            for dependency in &code.function.dependencies {
                let Ok(called) = EntryName::new(&dependency.function) else { continue };
                let closure = match then {
                    Some(then) => ctx.store.closure_as_of(&called, then).await?,
                    None => ctx.store.closure(&called).await?,
                };
                if closure.is_empty() {
                    let which = then.map_or(Which::Live, Which::AsOf);
                    return Err(not_found(ctx, &Scope::none(), &EntryKey::function(called), which).await?);
                }
                for (version, is_live) in closure {
                    versions.insert(version.head.version_id, (version, is_live));
                }
            }
            if then.is_some() || ctx.store.revision().await? == revision {
                let versions: Vec<(Version, bool)> = versions.into_values().collect();
                let content = DraftContent::Code(code.clone());
                let prepared = prepare_draft(name, draft, content, &versions, then.unwrap_or(revision));
                return prepared.map(Arc::new).ok_or(Error::ClosureGone);
            }
        }
        Err(Error::Contended)
    }

    /// It is stored with its Run, so it is not kept here.
    async fn recorded_draft(&self, ctx: &Ctx, run: &Run, hash: ClosureHash) -> Result<Arc<Prepared>, Error> {
        let draft = run.how.draft.clone().ok_or(Error::ClosureGone)?;
        let content = ctx.store.run_draft(run.run_id, run.key.kind).await?.ok_or(Error::ClosureGone)?;
        let versions = ctx.store.closure_versions(hash).await?;
        let prepared = prepare_draft(&run.key.name, draft, content, &versions, run.revision);
        prepared.map(Arc::new).ok_or(Error::ClosureGone)
    }

    /// Forgets what the brain has moved away from, and says where it is.
    async fn catch_up(&self, ctx: &Ctx) -> Result<Revision, Error> {
        let now = ctx.store.revision().await?;
        let known = self.lock().revision;
        if now == known {
            return Ok(now);
        }
        let (now, mut moved) = ctx.store.moved_since(EntryKind::Function, known).await?;
        let (then, graphs) = ctx.store.moved_since(EntryKind::Graph, known).await?;
        // What moved between the two reads is seen by the next.
        let now = now.min(then);
        moved.extend(graphs);
        let moved: HashSet<&str> = moved.iter().map(EntryName::as_str).collect();
        let mut kept = self.lock();
        if kept.revision == known {
            kept.live.retain(|_, prepared| !prepared.names.iter().any(|name| moved.contains(name.as_str())));
            kept.revision = now;
        }
        Ok(kept.revision)
    }

    fn keep(&self, revision: Revision, name: &EntryName, prepared: &Arc<Prepared>) {
        let mut kept = self.lock();
        if kept.revision != revision {
            return;
        }
        if kept.live.len() >= KEPT {
            kept.live.clear();
        }
        kept.live.insert(name.clone(), Arc::clone(prepared));
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        // Nothing that holds the lock can panic half-way through a change.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a Graph names.
fn calls(content: &GraphContent) -> BTreeSet<(EntryName, Option<VersionNumber>)> {
    let calls = content.nodes.iter().filter_map(Node::calls);
    calls.filter_map(|(name, version)| Some((EntryName::new(name).ok()?, version))).collect()
}

/// A Function or Graph and all it calls; nothing if there is none.
async fn called(
    ctx: &Ctx,
    name: &EntryName,
    number: Option<VersionNumber>,
) -> Result<Vec<(Version, bool)>, Error> {
    let Some(number) = number else { return Ok(ctx.store.closure(name).await?) };
    for kind in [EntryKind::Function, EntryKind::Graph] {
        if let Some(version) = ctx.store.version(&EntryKey::new(kind, name.clone()), number).await? {
            return Ok(ctx.store.closure_of(version.head.version_id).await?);
        }
    }
    Ok(Vec::new())
}

#[cfg(test)]
mod tests {
    use model::access::Access;
    use model::function::FunctionDraft;
    use store::testing::TestDatabase;

    use super::*;
    use crate::Config;
    use crate::app::changesets;
    use crate::app::changesets::drafts::{Intent, Proposal};

    async fn put(ctx: &Ctx, source: &str) {
        let intent = Intent::function(FunctionDraft::of_source(source));
        changesets::register(ctx, &Access::of_command_line(), &Proposal::of("a test", vec![intent]))
            .await
            .unwrap();
    }

    #[tokio::test]
    async fn what_a_run_was_recorded_with_is_read_once_and_outlives_the_live_version() {
        let (database, home) = (TestDatabase::sqlite(), tempfile::tempdir().unwrap());
        let config = Config::new(home.path().to_owned(), database.location().clone(), None);
        let ctx = Ctx::open(config).await.unwrap();
        put(&ctx, "def f():\n    return 1\n").await;
        let closures = &ctx.engine.closures;
        let live = closures.live(&ctx, &EntryName::new("f").unwrap()).await.unwrap();
        let (version, hash) = (live.version_id.unwrap(), live.hash);
        ctx.store.record_closure(hash, &live.members).await.unwrap();
        let first = closures.recorded(&ctx, version, hash, live.revision()).await.unwrap();
        put(&ctx, "def f():\n    return 2\n").await;
        let second = closures.recorded(&ctx, version, hash, live.revision()).await.unwrap();
        assert!(Arc::ptr_eq(&first, &second));
        let now = closures.live(&ctx, &EntryName::new("f").unwrap()).await.unwrap();
        assert_ne!(now.version_id, second.version_id);
        ctx.close().await;
    }
}
