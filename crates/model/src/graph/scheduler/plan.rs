//! A Plan: a Graph made ready to run. It never changes, and everything in it is found by number.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::upstream::Upstream;
use crate::graph::block::{ERROR, OUTPUT};
use crate::graph::builtin::Builtin;
use crate::graph::check::Problem;
use crate::graph::compiled::CompiledBlock;
use crate::graph::pin_path::{Gaps, PinPath, write_at};
use crate::graph::resolve::{Blocks, Resolved, ResolvedNode, resolve};
use crate::graph::slots::Slots;
use crate::graph::{GraphContent, Values};

/// A node by its place in the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeIndex(pub u32);

/// A link by its place in the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LinkIndex(pub u32);

#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) nodes: Vec<PlanNode>,
    pub(super) links: Vec<PlanLink>,
    pub(super) collects: Vec<usize>,
    pub(super) budget: u64,
    positions: HashMap<String, u32>,
}

#[derive(Clone, Debug)]
pub(super) struct PlanNode {
    pub(super) id: String,
    pub(super) builtin: Option<Builtin>,
    pub(super) block: Arc<CompiledBlock>,
    /// What its constants make, as far as nothing is linked there; or the pin and why they cannot.
    pub(super) constants: Result<Values, (String, String)>,
    /// Constants that are parts of what arrives over links, shorter paths first.
    pub(super) parts: Vec<(PinPath, Value)>,
    pub(super) slots: Vec<PinPath>,
    /// The links from each of its output pins, in the order of the content.
    pub(super) next: HashMap<String, Vec<usize>>,
    /// The name of the graph's own pin, of an input or output block.
    pub(super) border: Option<String>,
    /// Whether it takes part in this run.
    pub(super) is_active: bool,
    /// The nodes that collect what comes of it.
    pub(super) collected_by: Vec<usize>,
    /// How many of those upstream collect too, if it collects.
    pub(super) collects_upstream: usize,
}

#[derive(Clone, Debug)]
pub(super) struct PlanLink {
    pub(super) from: usize,
    pub(super) path: PinPath,
    pub(super) to: usize,
    pub(super) slot: usize,
    pub(super) is_static: bool,
    /// Whether it is part of a cycle.
    pub(super) is_in_cycle: bool,
}

impl Plan {
    /// Problems are those that make it impossible to run: what is not known, and links to nowhere.
    pub fn new(content: &GraphContent, blocks: &dyn Blocks) -> Result<Plan, Vec<Problem>> {
        let mut problems = content.flaws();
        if problems.is_empty() {
            let resolved = resolve(content, blocks, &mut problems);
            if problems.is_empty() {
                return Ok(Plan::of(&resolved));
            }
        }
        Err(problems)
    }

    fn of(resolved: &Resolved<'_>) -> Plan {
        let slots = Slots::of(resolved);
        let (upstream, mut gaps) = (Upstream::of(resolved), Gaps::default());
        let mut nodes: Vec<PlanNode> = Vec::with_capacity(resolved.nodes.len());
        for (at, node) in resolved.nodes.iter().enumerate() {
            let Some(node) = node else { continue };
            nodes.push(PlanNode::of(resolved, at, node, &slots, &upstream, &mut gaps));
        }
        let mut links = Vec::with_capacity(resolved.links.len());
        for (at, (link, slot)) in resolved.links.iter().zip(&slots.of_link).enumerate() {
            let (Some(link), Some(slot)) = (link, slot) else { continue };
            nodes[link.from].next.entry(link.from_pin.pin().to_owned()).or_default().push(at);
            links.push(PlanLink {
                from: link.from,
                path: link.from_pin.clone(),
                to: link.to,
                slot: *slot,
                is_static: link.is_static,
                is_in_cycle: upstream.are_in_one_cycle(link.from, link.to),
            });
        }
        let positions = nodes.iter().zip(0..).map(|(node, at)| (node.id.clone(), at)).collect();
        let budget = resolved.content.budget.unwrap_or(u64::MAX);
        Plan { nodes, links, collects: upstream.collects, budget, positions }
    }

    /// The same for a run of only some nodes. What their pins would get from others has to be given, see
    /// [`super::Start`].
    #[must_use]
    pub fn only(mut self, nodes: &HashSet<NodeIndex>) -> Plan {
        let is_left_out = |at: usize| !nodes.contains(&NodeIndex(at as u32));
        for at in (0..self.nodes.len()).filter(|at| is_left_out(*at)) {
            self.nodes[at].is_active = false;
            // Who collects waits for nothing of it, and misses nothing of it.
            for collect in std::mem::take(&mut self.nodes[at].collected_by) {
                let collects = usize::from(self.nodes[at].builtin == Some(Builtin::Collect));
                self.nodes[collect].collects_upstream -= collects;
            }
        }
        self
    }

    /// Whether some node that takes part gets the errors of this one.
    pub(super) fn catches_errors(&self, node: usize) -> bool {
        self.nodes[node].links(ERROR).iter().any(|link| self.nodes[self.links[*link].to].is_active)
    }

    pub fn node(&self, id: &str) -> Option<NodeIndex> {
        self.positions.get(id).copied().map(NodeIndex)
    }

    pub fn node_id(&self, node: NodeIndex) -> &str {
        &self.nodes[node.0 as usize].id
    }

    pub fn builtin(&self, node: NodeIndex) -> Option<Builtin> {
        self.nodes[node.0 as usize].builtin
    }

    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// A node and all that lies downstream of it: what a run from this node executes.
    pub fn downstream(&self, first: NodeIndex) -> HashSet<NodeIndex> {
        let mut found = HashSet::from([first]);
        let mut open = vec![first];
        while let Some(node) = open.pop() {
            for link in self.nodes[node.0 as usize].next.values().flatten() {
                let to = NodeIndex(self.links[*link].to as u32);
                if found.insert(to) {
                    open.push(to);
                }
            }
        }
        found
    }

    /// Whether an execution of the node could be given this input, and what is wrong otherwise.
    pub fn check_input(&self, node: NodeIndex, input: &Values) -> Result<(), String> {
        let node = &self.nodes[node.0 as usize];
        let check = |(pin, value): (&String, &Arc<Value>)| node.block.check_input(pin, value);
        input.iter().try_for_each(check).map_err(|error| error.to_string())?;
        node.missing(input).map_or(Ok(()), |pin| Err(format!("`{pin}` is required")))
    }
}

impl PlanNode {
    fn of(
        resolved: &Resolved<'_>,
        at: usize,
        node: &ResolvedNode<'_>,
        slots: &Slots,
        upstream: &Upstream,
        gaps: &mut Gaps,
    ) -> PlanNode {
        let constants = constants(node, at, slots, gaps);
        let is_border = matches!(node.builtin, Some(Builtin::Input | Builtin::Output));
        let name = || resolved.content.nodes[at].input.get("name")?.as_str().map(str::to_owned);
        PlanNode {
            id: resolved.content.nodes[at].id.clone(),
            builtin: node.builtin,
            block: Arc::clone(&node.block),
            constants,
            parts: parts(node, at, slots),
            slots: slots.of_node[at].clone(),
            next: HashMap::new(),
            border: if is_border { name() } else { None },
            is_active: !node.builtin.is_some_and(Builtin::is_inert),
            collected_by: upstream.collected_by[at].clone(),
            collects_upstream: upstream.collects_upstream[at],
        }
    }

    /// A required pin that is not there.
    pub(super) fn missing(&self, input: &Values) -> Option<&str> {
        // All that a node collects arrives as one list.
        if self.builtin == Some(Builtin::Collect) {
            return None;
        }
        let mut pins = self.block.signature.inputs.iter().filter(|pin| pin.required);
        pins.find(|pin| !input.contains_key(&pin.name)).map(|pin| pin.name.as_str())
    }

    pub(super) fn links(&self, pin: &str) -> &[usize] {
        self.next.get(pin).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether what leaves on this pin is an output of the graph.
    pub(super) fn graph_output(&self, pin: &str) -> Option<&str> {
        let is_output = self.builtin == Some(Builtin::Output) && pin == OUTPUT;
        self.border.as_deref().filter(|_| is_output)
    }
}

fn parts(node: &ResolvedNode<'_>, at: usize, slots: &Slots) -> Vec<(PinPath, Value)> {
    let is_part = |path: &PinPath| !slots.replaces(at, path) && slots.is_part(at, path);
    let parts = node.constants.iter().filter(|(path, _)| is_part(path));
    parts.map(|(path, value)| (path.clone(), (*value).clone())).collect()
}

/// Checked here once, because the block may be another one than when the graph was saved.
fn constants(
    node: &ResolvedNode<'_>,
    at: usize,
    slots: &Slots,
    gaps: &mut Gaps,
) -> Result<Values, (String, String)> {
    let mut built = Values::new();
    let is_whole = |path: &PinPath| !slots.replaces(at, path) && !slots.is_part(at, path);
    for (path, value) in node.constants.iter().filter(|(path, _)| is_whole(path)) {
        let target = Arc::make_mut(built.entry(path.pin().to_owned()).or_default());
        let written = write_at(target, path.pin(), path.parts(), (*value).clone(), gaps);
        written.map_err(|error| (path.to_string(), error.to_string()))?;
    }
    for (pin, value) in built.iter().filter(|(pin, _)| !slots.has(at, pin)) {
        node.block.check_input(pin, value).map_err(|error| (pin.clone(), error.to_string()))?;
    }
    Ok(built)
}
