//! From a node that calls a graph to the nodes of that graph.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{UnpackError, unique};
use crate::graph::block::OUTPUT;
use crate::graph::builtin::Builtin;
use crate::graph::pin_path::PinPath;
use crate::graph::{GraphContent, Link, Node};

/// Puts what a graph contains in the place of the node that calls it.
pub fn unpack(content: &GraphContent, node: &str, inner: &GraphContent) -> Result<GraphContent, UnpackError> {
    let at = content.nodes.iter().position(|known| known.id == node);
    let at = at.ok_or_else(|| UnpackError::NoNode(node.to_owned()))?;
    let borders = Borders::of(inner)?;
    let ids = new_ids(content, node, inner);
    let mut nodes: Vec<Node> = inner.nodes.iter().filter(|node| !is_border(node)).cloned().collect();
    set_constants(&mut nodes, &content.nodes[at], inner, &borders, &linked(content, node));
    for node in &mut nodes {
        node.id.clone_from(&ids[&node.id]);
    }
    let mut links = Vec::with_capacity(content.links.len() + inner.links.len());
    for link in &content.links {
        match (link.from == node, link.to == node) {
            (false, false) => links.push(link.clone()),
            (false, true) => links.extend(borders.entering(link, &ids)?),
            (true, false) => links.extend(borders.leaving(link, &ids)?),
            (true, true) => return Err(misplaced(node, &link.to_pin)),
        }
    }
    let is_inside = |link: &&Link| ids.contains_key(&link.from) && ids.contains_key(&link.to);
    links.extend(inner.links.iter().filter(is_inside).map(|link| Link {
        from: ids[&link.from].clone(),
        to: ids[&link.to].clone(),
        ..link.clone()
    }));
    let mut unpacked = GraphContent { links, ..content.clone() };
    unpacked.nodes.splice(at..=at, nodes);
    Ok(unpacked)
}

fn is_border(node: &Node) -> bool {
    matches!(node.builtin(), Some(Builtin::Input | Builtin::Output))
}

fn misplaced(node: &str, pin: &str) -> UnpackError {
    UnpackError::Pin { node: node.to_owned(), pin: pin.to_owned() }
}

/// The pins of the node that links lead to.
fn linked<'a>(content: &'a GraphContent, node: &str) -> HashSet<&'a str> {
    content.links.iter().filter(|link| link.to == node).map(|link| link.to_pin.as_str()).collect()
}

/// The ids that the nodes inside will have: their own, unless the graph has such a node already.
fn new_ids(content: &GraphContent, node: &str, inner: &GraphContent) -> HashMap<String, String> {
    let outside = content.nodes.iter().filter(|known| known.id != node);
    let mut taken: HashSet<String> = outside.map(|node| node.id.clone()).collect();
    let inside = inner.nodes.iter().filter(|node| !is_border(node));
    inside.map(|node| (node.id.clone(), unique(&node.id, &mut taken))).collect()
}

/// What the pins of the graph inside are linked to.
struct Borders<'a> {
    inputs: HashMap<&'a str, Vec<&'a Link>>,
    outputs: HashMap<&'a str, Vec<&'a Link>>,
}

impl<'a> Borders<'a> {
    fn of(inner: &'a GraphContent) -> Result<Borders<'a>, UnpackError> {
        let mut borders = Borders { inputs: HashMap::new(), outputs: HashMap::new() };
        let nodes: HashMap<&str, &Node> = inner.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
        for node in inner.nodes.iter().filter(|node| is_border(node)) {
            borders.side(node).entry(name(node)).or_default();
        }
        for link in &inner.links {
            let border = |id: &str| nodes.get(id).copied().filter(|node| is_border(node));
            match (border(&link.from), border(&link.to)) {
                (None, None) => {}
                (Some(node), None) if node.builtin() == Some(Builtin::Input) => {
                    borders.inputs.entry(name(node)).or_default().push(link);
                }
                (None, Some(node)) if node.builtin() == Some(Builtin::Output) => {
                    borders.outputs.entry(name(node)).or_default().push(link);
                }
                (one, other) => {
                    let node = one.or(other).map(|node| node.id.clone());
                    return Err(UnpackError::Border(node.unwrap_or_default()));
                }
            }
        }
        Ok(borders)
    }

    fn side(&mut self, node: &Node) -> &mut HashMap<&'a str, Vec<&'a Link>> {
        if node.builtin() == Some(Builtin::Input) { &mut self.inputs } else { &mut self.outputs }
    }

    fn entering(&self, outer: &Link, ids: &HashMap<String, String>) -> Result<Vec<Link>, UnpackError> {
        let refused = || misplaced(&outer.to, &outer.to_pin);
        let targets = self.inputs.get(outer.to_pin.as_str()).ok_or_else(refused)?;
        let join = |inner: &&Link| {
            let path = inner.from_pin.strip_prefix(OUTPUT)?;
            Some(Link {
                id: inner.id.clone(),
                from: outer.from.clone(),
                from_pin: joined(&outer.from_pin, path)?,
                to: ids.get(&inner.to)?.clone(),
                to_pin: inner.to_pin.clone(),
                is_static: outer.is_static || inner.is_static,
                other: outer
                    .other
                    .iter()
                    .chain(&inner.other)
                    .map(|(key, value)| (key.clone(), value.clone()))
                    .collect(),
            })
        };
        targets.iter().map(|inner| join(inner).ok_or_else(refused)).collect()
    }

    fn leaving(&self, outer: &Link, ids: &HashMap<String, String>) -> Result<Vec<Link>, UnpackError> {
        let refused = || misplaced(&outer.from, &outer.from_pin);
        let split = |name: &&'a str| {
            let path = outer.from_pin.strip_prefix(*name)?;
            (path.is_empty() || is_path(path)).then_some((*name, path))
        };
        // One name may be the beginning of another.
        let found = self.outputs.keys().filter_map(split).max_by_key(|(name, _)| name.len());
        let (name, path) = found.ok_or_else(refused)?;
        let join = |inner: &&Link| {
            Some(Link {
                from: ids.get(&inner.from)?.clone(),
                from_pin: joined(&inner.from_pin, path)?,
                is_static: outer.is_static || inner.is_static,
                ..outer.clone()
            })
        };
        let whole = |inner: &&&Link| inner.to_pin == "value";
        let sources = &self.outputs[name];
        if sources.iter().filter(whole).count() < sources.len() {
            return Err(refused());
        }
        sources.iter().map(|inner| join(inner).ok_or_else(refused)).collect()
    }
}

fn name(node: &Node) -> &str {
    node.input.get("name").and_then(Value::as_str).unwrap_or_default()
}

fn is_path(text: &str) -> bool {
    PinPath::parse(&format!("x{text}")).is_ok_and(|path| path.pin() == "x")
}

/// A pin with a path, and a path into that.
fn joined(pin: &str, path: &str) -> Option<String> {
    let parts = |text: &str| PinPath::parse(text).ok().map(|path| path.parts().len());
    if path.is_empty() {
        return Some(pin.to_owned());
    }
    let joined = format!("{pin}{path}");
    let is_both = parts(&joined)? == parts(pin)? + parts(&format!("x{path}"))?;
    is_both.then_some(joined)
}

/// Constants of the node, and defaults of the pins inside, become constants of what these were linked to.
fn set_constants(
    nodes: &mut [Node],
    caller: &Node,
    inner: &GraphContent,
    borders: &Borders<'_>,
    linked: &HashSet<&str>,
) {
    for input in inner.nodes.iter().filter(|node| node.builtin() == Some(Builtin::Input)) {
        let name = name(input);
        let constant = caller.input.get(name).or_else(|| input.input.get("value"));
        let Some(constant) = constant.filter(|_| !linked.contains(name)) else { continue };
        for link in borders.inputs.get(name).into_iter().flatten() {
            if let Some(node) = nodes.iter_mut().find(|node| node.id == link.to) {
                node.input.insert(link.to_pin.clone(), constant.clone());
            }
        }
    }
}
