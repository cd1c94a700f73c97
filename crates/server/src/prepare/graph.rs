//! A Graph made ready to run: its plan, and what each node calls.

use std::collections::HashMap;
use std::sync::Arc;

use model::content::Content;
use model::entry::EntryKind;
use model::graph::block::BlockSignature;
use model::graph::node::BlockName;
use model::graph::scheduler::{NodeIndex, Plan};
use model::graph::{Blocks, GraphContent, Missing};
use model::ids::VersionId;
use model::version::{Version, VersionNumber};

/// A Graph that is ready to be run.
#[derive(Debug)]
pub(crate) struct PreparedGraph {
    pub(crate) content: GraphContent,
    /// Or what is in the way, in words: what it calls may be gone.
    pub(crate) plan: Result<Plan, String>,
    /// By node; none for built-in blocks.
    called: Vec<Option<CalledNode>>,
}

/// The Function or Graph of a node.
#[derive(Clone, Debug)]
pub(crate) struct CalledNode {
    pub(crate) version_id: VersionId,
    /// Whether it gives its values on pins that it names.
    pub(crate) gives: Gives,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gives {
    /// One value, on `output`.
    Value,
    /// Each value that it yields, on `output`.
    Stream,
    /// Each value that it yields, with the name of its pin.
    NamedStream,
    /// An object with a value for each output of the Graph.
    Outputs,
}

impl PreparedGraph {
    pub(super) fn new(content: GraphContent, versions: &[(Version, bool)]) -> PreparedGraph {
        let library = Library::of(versions);
        let plan = Plan::new(&content, &library).map_err(|problems| {
            problems.iter().take(5).map(ToString::to_string).collect::<Vec<_>>().join("; ")
        });
        let called = content.nodes.iter().map(|node| match node.block_name() {
            Ok(BlockName::Callable(name)) => library.find(name, node.version).ok().map(CalledNode::of),
            _ => None,
        });
        let called = called.collect();
        PreparedGraph { called, content, plan }
    }

    /// The Versions that its nodes call.
    pub(crate) fn calls(&self) -> impl Iterator<Item = VersionId> {
        self.called.iter().flatten().map(|called| called.version_id)
    }

    pub(crate) fn called(&self, node: NodeIndex) -> Option<&CalledNode> {
        self.called.get(node.0 as usize)?.as_ref()
    }
}

impl CalledNode {
    fn of(version: &Version) -> CalledNode {
        let gives = match &version.content {
            Content::Function(function) if !function.signature.pins.is_empty() => Gives::NamedStream,
            Content::Function(function) if function.signature.kind.is_generator() => Gives::Stream,
            Content::Graph(_) => Gives::Outputs,
            _ => Gives::Value,
        };
        CalledNode { version_id: version.head.version_id, gives }
    }
}

/// The Versions of a closure, as blocks.
struct Library<'a> {
    live: HashMap<&'a str, &'a Version>,
    pinned: HashMap<(&'a str, VersionNumber), &'a Version>,
}

impl<'a> Library<'a> {
    fn of(versions: &'a [(Version, bool)]) -> Library<'a> {
        let callable = versions
            .iter()
            .filter(|(version, _)| matches!(version.head.key.kind, EntryKind::Function | EntryKind::Graph));
        let mut library = Library { live: HashMap::new(), pinned: HashMap::new() };
        for (version, is_live) in callable {
            let name = version.head.key.name.as_str();
            library.pinned.insert((name, version.head.number), version);
            if *is_live {
                library.live.insert(name, version);
            }
        }
        library
    }

    fn find(&self, name: &str, number: Option<VersionNumber>) -> Result<&'a Version, Missing> {
        match number {
            None => self.live.get(name).copied().ok_or(Missing::Name),
            Some(number) => self.pinned.get(&(name, number)).copied().ok_or(Missing::Version),
        }
    }
}

impl Blocks for Library<'_> {
    fn signature(&self, name: &str, version: Option<VersionNumber>) -> Result<Arc<BlockSignature>, Missing> {
        BlockSignature::of_content(&self.find(name, version)?.content).map(Arc::new).ok_or(Missing::Name)
    }

    fn graph(&self, name: &str, version: Option<VersionNumber>) -> Option<Arc<GraphContent>> {
        match &self.find(name, version).ok()?.content {
            Content::Graph(graph) => Some(Arc::new(graph.clone())),
            _ => None,
        }
    }
}
