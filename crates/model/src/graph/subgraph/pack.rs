//! From a selection to a graph.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{PackError, Packed, unique};
use crate::graph::block::OUTPUT;
use crate::graph::builtin::Builtin;
use crate::graph::pin_path::PinPath;
use crate::graph::{GraphContent, Link, Node};

/// Puts the selected nodes in a graph that will have this name, and a node with this id in their place.
pub fn pack(
    content: &GraphContent,
    selection: &BTreeSet<String>,
    node: &str,
    name: &str,
) -> Result<Packed, PackError> {
    check(content, selection, node)?;
    let is_in = |id: &str| selection.contains(id);
    let mut packing = Packing::new(content, selection, node, name);
    for link in &content.links {
        match (is_in(&link.from), is_in(&link.to)) {
            (true, true) => packing.inner.links.push(link.clone()),
            (false, false) => packing.outer.links.push(link.clone()),
            (false, true) => packing.enters(link),
            (true, false) => packing.leaves(link),
        }
    }
    Ok(Packed { outer: packing.outer, inner: packing.inner })
}

fn check(content: &GraphContent, selection: &BTreeSet<String>, node: &str) -> Result<(), PackError> {
    let positions = content.positions();
    if selection.is_empty() {
        return Err(PackError::Nothing);
    }
    for id in selection {
        let at = positions.get(id.as_str()).ok_or_else(|| PackError::NoNode(id.clone()))?;
        if matches!(content.nodes[*at].builtin(), Some(Builtin::Input | Builtin::Output)) {
            return Err(PackError::Border(id.clone()));
        }
    }
    if positions.contains_key(node) && !selection.contains(node) {
        return Err(PackError::NodeExists(node.to_owned()));
    }
    match comes_back(content, selection) {
        Some(outside) => Err(PackError::WaitsForItself(outside)),
        None => Ok(()),
    }
}

/// A node outside of the selection by which a way leads out of it and in again.
fn comes_back(content: &GraphContent, selection: &BTreeSet<String>) -> Option<String> {
    let mut next: HashMap<&str, Vec<&str>> = HashMap::new();
    for link in &content.links {
        next.entry(&link.from).or_default().push(&link.to);
    }
    let mut seen: HashSet<&str> = HashSet::new();
    let mut open: Vec<&str> = selection.iter().map(String::as_str).collect();
    while let Some(node) = open.pop() {
        for to in next.get(node).into_iter().flatten() {
            match (selection.contains(node), selection.contains(*to)) {
                (false, true) => return Some(node.to_owned()),
                (_, false) if seen.insert(to) => open.push(to),
                _ => {}
            }
        }
    }
    None
}

struct Packing<'a> {
    outer: GraphContent,
    inner: GraphContent,
    node: &'a str,
    /// Names of the new graph's pins, and ids in it.
    inputs: HashMap<(&'a str, &'a str, bool), (String, String)>,
    outputs: HashMap<(&'a str, &'a str), String>,
    names: [HashSet<String>; 2],
    ids: HashSet<String>,
}

impl<'a> Packing<'a> {
    fn new(
        content: &'a GraphContent,
        selection: &BTreeSet<String>,
        node: &'a str,
        name: &str,
    ) -> Packing<'a> {
        let (inside, mut outside): (Vec<Node>, Vec<Node>) =
            content.nodes.iter().cloned().partition(|node| selection.contains(&node.id));
        let first = content.nodes.iter().take_while(|node| !selection.contains(&node.id)).count();
        outside.insert(first, Node::new(node, name));
        let ids = inside.iter().map(|node| node.id.clone()).collect();
        let inner = GraphContent { nodes: inside, budget: content.budget, ..GraphContent::default() };
        let outer = GraphContent { nodes: outside, links: Vec::new(), ..content.clone() };
        // A raised error leaves on `error` already.
        let names = [HashSet::new(), HashSet::from(["error".to_owned()])];
        Packing { outer, inner, node, inputs: HashMap::new(), outputs: HashMap::new(), names, ids }
    }

    /// Links from one pin share an input block.
    fn enters(&mut self, link: &'a Link) {
        let key = (link.from.as_str(), link.from_pin.as_str(), link.is_static);
        if !self.inputs.contains_key(&key) {
            let name = unique(&base(&link.to_pin), &mut self.names[0]);
            let id = self.border("@input", &name);
            let outer =
                Link { is_static: link.is_static, ..Link::new(&link.from, &link.from_pin, self.node, &name) };
            self.outer.links.push(outer);
            self.inputs.insert(key, (name, id));
        }
        let (_, id) = &self.inputs[&key];
        let inner = Link { from: id.clone(), from_pin: OUTPUT.to_owned(), is_static: false, ..link.clone() };
        self.inner.links.push(inner);
    }

    /// Links from one pin share an output block.
    fn leaves(&mut self, link: &'a Link) {
        let key = (link.from.as_str(), link.from_pin.as_str());
        if !self.outputs.contains_key(&key) {
            let name = unique(&base(&link.from_pin), &mut self.names[1]);
            let id = self.border("@output", &name);
            self.inner.links.push(Link::new(&link.from, &link.from_pin, &id, "value"));
            self.outputs.insert(key, name);
        }
        let outer = Link { from: self.node.to_owned(), from_pin: self.outputs[&key].clone(), ..link.clone() };
        self.outer.links.push(outer);
    }

    fn border(&mut self, block: &str, name: &str) -> String {
        let id = unique(&format!("{}_{name}", &block[1..]), &mut self.ids);
        self.inner.nodes.push(Node::new(&id, block).with("name", name));
        id
    }
}

fn base(pin: &str) -> String {
    PinPath::parse(pin).map_or_else(|_| pin.to_owned(), |path| path.pin().to_owned())
}
