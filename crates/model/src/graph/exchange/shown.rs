//! What the nodes of a written file took and gave in a run, under the names that their pins have there.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::import::base;
use super::origin::{LinkOrigin, NodeOrigin};
use super::pins::Pins;
use super::write::Ways;
use super::{Format, constants};
use crate::graph::block::BlockSignature;
use crate::graph::pin_path::PinPath;
use crate::graph::{Blocks, GraphContent, Missing, Node};
use crate::name::EntryName;
use crate::version::VersionNumber;

/// The pins of the nodes that a file has. Nodes that only stand here have none.
#[derive(Debug, Default)]
pub struct FilePins {
    nodes: HashMap<String, NodePins>,
}

#[derive(Debug)]
struct NodePins {
    pins: Pins,
    /// As the graph has them.
    constants: Map<String, Value>,
    /// As the file has them.
    defaults: Map<String, Value>,
    /// Pins with paths that links lead to, as (ours, theirs).
    parts: Vec<(String, String)>,
    /// What links that leave call the pins.
    outputs: BTreeMap<String, String>,
}

impl FilePins {
    /// Of a graph and the file that was written of it.
    pub fn of(content: &GraphContent, file: &Value) -> FilePins {
        let mut nodes = HashMap::new();
        let kept = content.nodes.iter().filter(|node| !is_added(node));
        for (node, written) in kept.zip(file["nodes"].as_array().into_iter().flatten()) {
            let pins = Pins::of(node, written["block_id"].as_str().unwrap_or_default());
            let defaults = written["input_default"].as_object().cloned().unwrap_or_default();
            let (constants, parts, outputs) = (node.input.clone(), Vec::new(), BTreeMap::new());
            nodes.insert(node.id.clone(), NodePins { pins, constants, defaults, parts, outputs });
        }
        let mut found = FilePins { nodes };
        found.add_links(content, file);
        found
    }

    fn add_links(&mut self, content: &GraphContent, file: &Value) {
        let ways = Ways::of(content);
        let is_kept = |origin: Option<LinkOrigin>| !origin.is_some_and(|origin| origin.added);
        let kept = content.links.iter().filter(|link| is_kept(LinkOrigin::get(link)));
        for (link, written) in kept.zip(file["links"].as_array().into_iter().flatten()) {
            let link = ways.joined(link);
            let name = |key: &str| written[key].as_str().unwrap_or_default();
            if let Some(from) = self.nodes.get_mut(link.from.as_str()) {
                from.outputs
                    .insert(base(&link.from_pin).to_owned(), source_pin(&link.from_pin, name("source_name")));
            }
            if let Some(to) = self.nodes.get_mut(link.to.as_str())
                && base(name("sink_name")) != name("sink_name")
            {
                to.parts.push((link.to_pin.clone(), name("sink_name").to_owned()));
            }
        }
    }

    /// What a node took. Parts that arrived on pins of their own stand beside the value that was made of them. `None` of a node
    /// that the file does not have.
    pub fn input(&self, node: &str, input: &Map<String, Value>) -> Option<Map<String, Value>> {
        let pins = self.nodes.get(node)?;
        let fixed = constants::added(pins.pins);
        let mut shown = Map::new();
        for (pin, value) in input.iter().filter(|(pin, value)| fixed.get(*pin) != Some(value)) {
            let theirs = pins.pins.their_input(pin);
            let is_constant = pins.constants.get(pin) == Some(value);
            let default = pins.defaults.get(&theirs).filter(|_| is_constant);
            shown.insert(theirs, default.unwrap_or(value).clone());
        }
        let parts = pins.defaults.iter().filter(|(pin, _)| base(pin) != pin.as_str());
        shown.extend(parts.map(|(pin, value)| (pin.clone(), value.clone())));
        for (ours, theirs) in &pins.parts {
            shown.extend(part(input, ours).map(|value| (theirs.clone(), value)));
        }
        Some(shown)
    }

    /// What left a node, a list for each pin. `None` of a node that the file does not have.
    pub fn output(&self, node: &str, outputs: &Map<String, Value>) -> Option<Map<String, Value>> {
        let pins = self.nodes.get(node)?;
        let mut shown = Map::new();
        for (pin, values) in outputs {
            shown.insert(pins.their_output(pin), values.clone());
        }
        Some(together(shown))
    }
}

impl NodePins {
    /// As links call it, or else as in 2024. What would be a part of a pin that links take whole keeps our name.
    fn their_output(&self, ours: &str) -> String {
        if let Some(linked) = self.outputs.get(ours) {
            return linked.clone();
        }
        let usual = self.pins.output_in_2024(ours);
        let is_taken = self.outputs.values().any(|linked| linked == base(&usual));
        if is_taken { ours.to_owned() } else { usual }
    }
}

/// What a file calls the pin that a link leaves, without the path that is ours, too. The rest may be a path there and a pin here.
fn source_pin(ours: &str, theirs: &str) -> String {
    let path = &ours[base(ours).len()..];
    theirs.strip_suffix(path).unwrap_or(base(theirs)).to_owned()
}

/// The part of the input that a path leads to.
fn part(input: &Map<String, Value>, path: &str) -> Option<Value> {
    let path = PinPath::parse_with(path, |pin| input.contains_key(pin)).ok()?;
    let value = Arc::new(input.get(path.pin())?.clone());
    path.select(&value).ok().map(|found| (*found).clone())
}

/// What was one value in the file and is several here becomes one again: `item_$_0` and `item_$_1` are pairs on `item`.
pub(super) fn together(shown: Map<String, Value>) -> Map<String, Value> {
    let mut whole = Map::new();
    let mut columns: BTreeMap<String, BTreeMap<usize, Vec<Value>>> = BTreeMap::new();
    for (pin, values) in shown {
        let index = pin.strip_prefix(base(&pin)).and_then(|path| path.strip_prefix("_$_"));
        match (index.and_then(|index| index.parse().ok()), values) {
            (Some(index), Value::Array(values)) => {
                columns.entry(base(&pin).to_owned()).or_default().insert(index, values);
            }
            (_, values) => {
                whole.insert(pin, values);
            }
        }
    }
    whole.extend(columns.into_iter().map(|(pin, columns)| (pin, rows(columns.into_values().collect()))));
    whole
}

fn rows(columns: Vec<Vec<Value>>) -> Value {
    let mut rows: Vec<Vec<Value>> = Vec::new();
    for column in columns {
        rows.resize(rows.len().max(column.len()), Vec::new());
        rows.iter_mut().zip(column).for_each(|(row, value)| row.push(value));
    }
    rows.into()
}

/// Whether the file that a graph was read from does not have this node.
pub fn is_added(node: &Node) -> bool {
    NodeOrigin::get(node).is_some_and(|origin| origin.role.is_some())
}

/// A graph as the server of 2024 shows it. Graphs that it calls are named, not contained.
pub fn graph_2024(name: &EntryName, content: &GraphContent) -> Value {
    // Nothing is called that is known, so nothing keeps it from being written.
    let written = super::write(name, content, &Nothing, Format::Graph2024);
    written.map(|written| written.file).unwrap_or_default()
}

struct Nothing;

impl Blocks for Nothing {
    fn signature(&self, _: &str, _: Option<VersionNumber>) -> Result<Arc<BlockSignature>, Missing> {
        Err(Missing::Name)
    }
}
