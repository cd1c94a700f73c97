//! What Graphs may call: the Functions and Graphs that they name, and those that these Graphs name.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use model::access::{Access, Authority};
use model::changeset::check::nearest;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::graph::block::BlockSignature;
use model::graph::{Blocks, GraphContent, Missing, Node};
use model::name::EntryName;
use model::version::VersionNumber;

use crate::ctx::Ctx;
use crate::error::Error;

/// For so many names that are not known others are looked for that are alike.
const SUGGESTED: usize = 20;

/// What Graphs may call, once some changes are applied.
pub(crate) struct Library {
    live: HashMap<String, Content>,
    pinned: HashMap<(String, VersionNumber), Content>,
    /// Names that there are and that are much like those that there are not.
    near: HashMap<String, String>,
    /// What was looked for.
    asked: BTreeSet<Called>,
    /// What is deleted by the changes.
    gone: BTreeSet<EntryKey>,
    authority: Arc<Authority>,
}

impl Library {
    /// With everything that these Graphs call, and what the Graphs among that call.
    pub(crate) async fn read<'a>(
        ctx: &Ctx,
        access: &Access,
        changed: impl Iterator<Item = (&'a EntryKey, Option<&'a Content>)>,
        graphs: impl Iterator<Item = &'a GraphContent>,
    ) -> Result<Library, Error> {
        let mut library = Library::new(access);
        for (key, after) in changed {
            match after {
                Some(content @ (Content::Function(_) | Content::Graph(_))) => {
                    library.live.insert(key.name.to_string(), content.clone());
                }
                Some(Content::Trigger(_) | Content::Schedule(_)) => {}
                None => {
                    library.gone.insert(key.clone());
                }
            }
        }
        let mut next: Vec<Called> = graphs.flat_map(calls).collect();
        next.extend(library.live.values().flat_map(nested));
        library.read_also(ctx, next).await?;
        let missing = library.asked.iter().filter(|(name, _)| !library.live.contains_key(name.as_str()));
        let missing: Vec<String> = missing.map(|(name, _)| name.clone()).collect();
        library.look_for_similar(ctx, access, missing).await?;
        Ok(library)
    }

    /// One in which nothing was looked for yet.
    pub(crate) fn new(access: &Access) -> Library {
        Library {
            live: HashMap::new(),
            pinned: HashMap::new(),
            near: HashMap::new(),
            asked: BTreeSet::new(),
            gone: BTreeSet::new(),
            authority: Arc::clone(&access.authority),
        }
    }

    /// Looks for what is called, and for what the Graphs among that call.
    pub(crate) async fn read_also(&mut self, ctx: &Ctx, mut next: Vec<Called>) -> Result<(), Error> {
        while !next.is_empty() {
            // What lies outside is not looked at: whether it is there must not show.
            next.retain(|call| self.authority.may_call(&call.0) && self.asked.insert(call.clone()));
            next = self.read_more(ctx, next).await?;
        }
        Ok(())
    }

    /// Whether it is known what has this name, or that nothing has.
    pub(crate) fn knows(&self, called: &Called) -> bool {
        self.asked.contains(called) || !self.authority.may_call(&called.0)
    }

    /// Reads what is called, and answers what that calls.
    async fn read_more(&mut self, ctx: &Ctx, wanted: Vec<Called>) -> Result<Vec<Called>, Error> {
        let mut found = Vec::new();
        let live = wanted.iter().filter(|(name, version)| version.is_none() && !self.live.contains_key(name));
        let names: Vec<EntryName> = live.filter_map(|(name, _)| EntryName::new(name).ok()).collect();
        for version in ctx.store.live_callables(&names).await? {
            if !self.gone.contains(&version.head.key) {
                found.extend(nested(&version.content));
                self.live.insert(version.head.key.name.to_string(), version.content);
            }
        }
        for (name, number) in wanted.into_iter().filter_map(|(name, number)| Some((name, number?))) {
            let Ok(entry) = EntryName::new(&name) else { continue };
            for kind in [EntryKind::Function, EntryKind::Graph] {
                if let Some(version) = ctx.store.version(&EntryKey::new(kind, entry.clone()), number).await? {
                    found.extend(nested(&version.content));
                    self.pinned.insert((name.clone(), number), version.content);
                }
            }
        }
        Ok(found)
    }

    async fn look_for_similar(
        &mut self,
        ctx: &Ctx,
        access: &Access,
        missing: Vec<String>,
    ) -> Result<(), Error> {
        if missing.is_empty() {
            return Ok(());
        }
        let mut names = ctx.store.entry_names(EntryKind::Function, access.only()).await?;
        names.extend(ctx.store.entry_names(EntryKind::Graph, access.only()).await?);
        // Each is compared with all names, and a reader goes through no more of them at once.
        for name in missing.into_iter().take(SUGGESTED) {
            let near = nearest(&name, &names).map(str::to_owned);
            self.near.extend(near.map(|near| (name, near)));
        }
        Ok(())
    }

    fn find(&self, name: &str, version: Option<VersionNumber>) -> Result<&Content, Missing> {
        match version {
            None => self.live.get(name).ok_or(Missing::Name),
            Some(number) => self.pinned.get(&(name.to_owned(), number)).ok_or(Missing::Version),
        }
    }
}

/// A name, and the Version if one is pinned.
pub(crate) type Called = (String, Option<VersionNumber>);

fn calls(graph: &GraphContent) -> Vec<Called> {
    let calls = graph.nodes.iter().filter_map(Node::calls);
    calls.map(|(name, version)| (name.to_owned(), version)).collect()
}

fn nested(content: &Content) -> Vec<Called> {
    match content {
        Content::Graph(graph) => calls(graph),
        _ => Vec::new(),
    }
}

impl Blocks for Library {
    fn signature(&self, name: &str, version: Option<VersionNumber>) -> Result<Arc<BlockSignature>, Missing> {
        if !self.authority.may_call(name) {
            return Ok(Arc::new(BlockSignature::opaque()));
        }
        BlockSignature::of_content(self.find(name, version)?).map(Arc::new).ok_or(Missing::Name)
    }

    fn graph(&self, name: &str, version: Option<VersionNumber>) -> Option<Arc<GraphContent>> {
        match self.find(name, version) {
            Ok(Content::Graph(graph)) => Some(Arc::new(graph.clone())),
            _ => None,
        }
    }

    fn similar(&self, name: &str) -> Option<String> {
        self.near.get(name).cloned()
    }
}
