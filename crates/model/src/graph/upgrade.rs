//! Upgrades: nodes that pin a Version of a Function or Graph of which a newer one is live. They say how the pins of the two
//! differ, and what would be wrong with the node if it moved.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::block::{BlockSignature, Pin};
use super::check::{Problem, check};
use super::node::BlockName;
use super::patch::Patch;
use super::{Blocks, GraphContent, Link, Node};
use crate::version::VersionNumber;

/// Stands for all pins that are not listed.
const OTHERS: &str = "*";

/// A node that could move to a newer Version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Upgrade {
    pub node: String,
    pub block: String,
    pub pinned: VersionNumber,
    pub live: VersionNumber,
    /// How the pins of the live version differ; none if only what it does is another.
    pub pins: Vec<PinChange>,
    /// What would be wrong with its links and constants, and is not now. If there is nothing, they still fit.
    pub problems: Vec<Problem>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PinChange {
    pub side: Side,
    /// `*` stands for all pins that are not listed.
    pub pin: String,
    pub change: Change,
    /// Of the pinned version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// Of the live version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = PinSide)]
pub enum Side {
    Input,
    Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = PinChangeKind)]
pub enum Change {
    Removed,
    /// A new pin that may stay without a value.
    Added,
    /// A new pin that needs a value.
    AddedRequired,
    /// It takes or gives values of another schema.
    Type,
    NowRequired,
    NoLongerRequired,
}

/// The upgrades of a Graph, in the order of its nodes. `live` says which Version of a name is live.
pub fn upgrades(
    content: &GraphContent,
    blocks: &dyn Blocks,
    live: &dyn Fn(&str) -> Option<VersionNumber>,
) -> Vec<Upgrade> {
    let mut groups: BTreeMap<(&str, VersionNumber), Vec<usize>> = BTreeMap::new();
    for (at, node) in content.nodes.iter().enumerate() {
        if let Some(pinned) = pinned(node) {
            groups.entry(pinned).or_default().push(at);
        }
    }
    let neighbours = Neighbours::of(content);
    let mut found: Vec<(usize, Upgrade)> = Vec::new();
    for ((block, pinned), nodes) in groups {
        let Some(live) = live(block).filter(|live| pinned < *live) else { continue };
        let pins = difference(block, pinned, blocks);
        let mut problems = neighbours.new_problems(&nodes, block, live, blocks);
        found.extend(nodes.into_iter().map(|at| {
            let node = content.nodes[at].id.clone();
            let problems = problems.remove(&node).unwrap_or_default();
            (at, Upgrade { node, block: block.to_owned(), pinned, live, pins: pins.clone(), problems })
        }));
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, upgrade)| upgrade).collect()
}

/// The patches that move nodes to the live Versions.
pub fn patches(upgrades: &[Upgrade]) -> Vec<Patch> {
    let patch = |upgrade: &Upgrade| Patch::SetField {
        node: Some(upgrade.node.clone()),
        field: "version".to_owned(),
        value: upgrade.live.0.into(),
    };
    upgrades.iter().map(patch).collect()
}

/// The names of nodes that pin a Version.
pub fn pinned_names(content: &GraphContent) -> HashSet<&str> {
    content.nodes.iter().filter_map(|node| Some(pinned(node)?.0)).collect()
}

fn pinned(node: &Node) -> Option<(&str, VersionNumber)> {
    match node.block_name() {
        Ok(BlockName::Callable(name)) => Some((name, node.version?)),
        _ => None,
    }
}

/// What cannot be looked up differs in nothing.
fn difference(block: &str, pinned: VersionNumber, blocks: &dyn Blocks) -> Vec<PinChange> {
    match (blocks.signature(block, Some(pinned)), blocks.signature(block, None)) {
        (Ok(old), Ok(new)) => pin_changes(&old, &new),
        _ => Vec::new(),
    }
}

/// Inputs first, then outputs, each by name.
pub fn pin_changes(old: &BlockSignature, new: &BlockSignature) -> Vec<PinChange> {
    let mut changes = side_changes(Side::Input, &old.inputs, &new.inputs);
    changes.extend(other_changes(Side::Input, old.other_inputs.as_ref(), new.other_inputs.as_ref()));
    changes.extend(side_changes(Side::Output, &old.outputs, &new.outputs));
    changes.extend(other_changes(Side::Output, old.other_outputs.as_ref(), new.other_outputs.as_ref()));
    changes
}

fn side_changes(side: Side, old: &[Pin], new: &[Pin]) -> Vec<PinChange> {
    let by_name = |pins: &[Pin]| -> BTreeMap<String, Pin> {
        pins.iter().map(|pin| (pin.name.clone(), pin.clone())).collect()
    };
    let (old, new) = (by_name(old), by_name(new));
    let mut changes = Vec::new();
    let mut add = |pin: &str, change, old: Option<&Pin>, new: Option<&Pin>| {
        let schema = |pin: Option<&Pin>| pin.map(|pin| pin.schema.clone());
        changes.push(PinChange { side, pin: pin.to_owned(), change, old: schema(old), new: schema(new) });
    };
    for (name, pin) in &old {
        match new.get(name) {
            None => add(name, Change::Removed, Some(pin), None),
            Some(now) => {
                if now.schema != pin.schema {
                    add(name, Change::Type, Some(pin), Some(now));
                }
                match (pin.required, now.required) {
                    (false, true) => add(name, Change::NowRequired, Some(pin), Some(now)),
                    (true, false) => add(name, Change::NoLongerRequired, Some(pin), Some(now)),
                    _ => {}
                }
            }
        }
    }
    for (name, pin) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        let change = if pin.required { Change::AddedRequired } else { Change::Added };
        add(name, change, None, Some(pin));
    }
    changes.sort_by(|one, other| (&one.pin, one.change).cmp(&(&other.pin, other.change)));
    changes
}

fn other_changes(side: Side, old: Option<&Value>, new: Option<&Value>) -> Option<PinChange> {
    let change = match (old, new) {
        (Some(_), None) => Change::Removed,
        (None, Some(_)) => Change::Added,
        (Some(old), Some(new)) if old != new => Change::Type,
        _ => return None,
    };
    Some(PinChange { side, pin: OTHERS.to_owned(), change, old: old.cloned(), new: new.cloned() })
}

/// Nodes with their links and what these lead to. A check of that finds what is wrong with the pins of the nodes, and costs
/// the same however large the rest of the Graph is.
struct Neighbours<'a> {
    content: &'a GraphContent,
    positions: HashMap<&'a str, usize>,
    links: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Neighbours<'a> {
    fn of(content: &'a GraphContent) -> Neighbours<'a> {
        let mut links: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, link) in content.links.iter().enumerate() {
            links.entry(&link.from).or_default().push(at);
            links.entry(&link.to).or_default().push(at);
        }
        Neighbours { content, positions: content.positions(), links }
    }

    /// What is wrong with nodes of one block, by their ids, when all of them are at its live Version, and is not now.
    fn new_problems(
        &self,
        nodes: &[usize],
        block: &str,
        live: VersionNumber,
        blocks: &dyn Blocks,
    ) -> HashMap<String, Vec<Problem>> {
        let mut part = self.part(nodes);
        let before = by_node(check(&part, None, blocks));
        let moving: HashSet<&str> = nodes.iter().map(|at| self.content.nodes[*at].id.as_str()).collect();
        for node in part.nodes.iter_mut().filter(|node| moving.contains(node.id.as_str())) {
            node.version = Some(live);
        }
        let mut after = by_node(check(&part, None, &AsLive { blocks, block, live }));
        for (node, problems) in &mut after {
            let known = before.get(node).map(Vec::as_slice).unwrap_or_default();
            problems.retain(|problem| !known.contains(problem));
        }
        after
    }

    fn part(&self, nodes: &[usize]) -> GraphContent {
        let ids = nodes.iter().map(|at| self.content.nodes[*at].id.as_str());
        let of_node = |id: &str| self.links.get(id).map(Vec::as_slice).unwrap_or_default();
        let links: BTreeSet<usize> = ids.flat_map(of_node).copied().collect();
        let links: Vec<Link> = links.into_iter().map(|at| self.content.links[at].clone()).collect();
        let ends = links.iter().flat_map(|link| [link.from.as_str(), link.to.as_str()]);
        let ends = ends.filter_map(|id| self.positions.get(id).copied());
        let places: BTreeSet<usize> = ends.chain(nodes.iter().copied()).collect();
        let nodes = places.into_iter().map(|at| self.content.nodes[at].clone()).collect();
        GraphContent { nodes, links, ..GraphContent::default() }
    }
}

/// Errors by the nodes that they are about; those of a link are about both of its ends.
fn by_node(problems: Vec<Problem>) -> HashMap<String, Vec<Problem>> {
    let mut by_node: HashMap<String, Vec<Problem>> = HashMap::new();
    for problem in problems.into_iter().filter(Problem::is_error) {
        let ends = problem.link.iter().flat_map(|link| [link.from.clone(), link.to.clone()]);
        let nodes: BTreeSet<String> = ends.chain(problem.node.clone()).collect();
        for node in nodes {
            by_node.entry(node).or_default().push(problem.clone());
        }
    }
    by_node
}

/// The live Version of one block, by its number too: who looks blocks up may know it without.
struct AsLive<'a> {
    blocks: &'a dyn Blocks,
    block: &'a str,
    live: VersionNumber,
}

impl AsLive<'_> {
    fn version(&self, name: &str, version: Option<VersionNumber>) -> Option<VersionNumber> {
        version.filter(|version| name != self.block || *version != self.live)
    }
}

impl Blocks for AsLive<'_> {
    fn signature(
        &self,
        name: &str,
        version: Option<VersionNumber>,
    ) -> Result<std::sync::Arc<BlockSignature>, super::Missing> {
        self.blocks.signature(name, self.version(name, version))
    }

    fn graph(&self, name: &str, version: Option<VersionNumber>) -> Option<std::sync::Arc<GraphContent>> {
        self.blocks.graph(name, self.version(name, version))
    }
}
