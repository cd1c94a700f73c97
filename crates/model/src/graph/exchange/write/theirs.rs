//! AutoGPT's files: today's agents and graphs of 2024.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use uuid::Builder;

use super::schema::{input_schema, output_schema};
use crate::graph::aliases::{BlockAlias, all};
use crate::graph::exchange::origin::{GraphOrigin, LinkOrigin, NodeOrigin, Role};
use crate::graph::exchange::pins::{EXECUTOR, OURS, Pins, by_class};
use crate::graph::exchange::read::{OLD, TODAY};
use crate::graph::exchange::report::{ImportNote, What};
use crate::graph::exchange::{Format, NamedGraph, constants, secrets};
use crate::graph::{GraphContent, Link, Node};

/// Fields of a graph that are computed from its nodes.
pub(in crate::graph::exchange) const COMPUTED: [&str; 2] = ["input_schema", "output_schema"];

/// Today's agent with those that it calls, in one flat list.
pub(super) fn agent(graphs: &[NamedGraph], notes: &mut Vec<ImportNote>) -> Value {
    let writer = Writer::of(graphs, Format::Agent);
    let origin = GraphOrigin::get(&graphs[0].content).unwrap_or_default();
    let mut file = writer.graph(&graphs[0], notes);
    let subs: Vec<Value> =
        graphs[1..].iter().map(|graph| Value::Object(writer.graph(graph, notes))).collect();
    let is_from_file_without = origin.format.is_some() && origin.sub_graphs.is_none();
    if !(subs.is_empty() && is_from_file_without) {
        file.insert("sub_graphs".to_owned(), Value::Array(subs));
    }
    finished(file)
}

pub(super) fn graph_2024(graph: &NamedGraph, notes: &mut Vec<ImportNote>) -> Value {
    finished(Writer::of(std::slice::from_ref(graph), Format::Graph2024).graph(graph, notes))
}

/// Once more as the file is: what was kept of a file is not looked at in our graphs.
fn finished(file: Map<String, Value>) -> Value {
    let mut file = Value::Object(file);
    secrets::remove(&mut file);
    file
}

struct Writer<'a> {
    format: Format,
    graphs: HashMap<&'a str, &'a NamedGraph>,
}

impl<'a> Writer<'a> {
    fn of(graphs: &'a [NamedGraph], format: Format) -> Writer<'a> {
        Writer { format, graphs: graphs.iter().map(|graph| (graph.name.as_str(), graph)).collect() }
    }

    fn graph(&self, graph: &NamedGraph, notes: &mut Vec<ImportNote>) -> Map<String, Value> {
        let content = &graph.content;
        let origin = GraphOrigin::get(content).unwrap_or_default();
        let mut file = self.fields(graph, &origin);
        let mut pins: BTreeMap<&str, Pins> = BTreeMap::new();
        let mut nodes = Vec::new();
        for node in &content.nodes {
            let kept = NodeOrigin::get(node).unwrap_or_default();
            if kept.role.is_some() {
                continue;
            }
            let (id, known) = self.block(node, &kept, graph, notes);
            pins.insert(&node.id, known);
            nodes.push(self.node(node, &kept, &id, known, origin.format == Some(self.format)));
        }
        let is_same = origin.format == Some(self.format);
        let links = links(content, &pins, is_same);
        if self.format == Format::Agent {
            file.insert("input_schema".to_owned(), input_schema(&nodes));
            file.insert("output_schema".to_owned(), output_schema(&nodes));
        }
        file.insert("nodes".to_owned(), nodes.into());
        file.insert("links".to_owned(), links.into());
        file
    }

    fn fields(&self, graph: &NamedGraph, origin: &GraphOrigin) -> Map<String, Value> {
        let description = &graph.content.description;
        if origin.format.is_some() {
            let mut fields = origin.fields.clone();
            if origin.format != Some(self.format) {
                self.change_generation(&mut fields);
            }
            if fields.get("description").and_then(Value::as_str).unwrap_or_default() != description {
                fields.insert("description".to_owned(), json!(description));
            }
            return fields;
        }
        let mut fields = json!({
            "id": uuid(graph.name.as_str()), "version": 1, "is_active": true,
            "name": graph.name.as_str(), "description": description
        });
        if self.format == Format::Graph2024 {
            fields["is_template"] = json!(false);
        }
        fields.as_object().cloned().unwrap_or_default()
    }

    /// What tells the generations apart.
    fn change_generation(&self, fields: &mut Map<String, Value>) {
        let others: &[&str] = if self.format == Format::Agent { OLD } else { TODAY };
        fields.retain(|key, _| !others.contains(&key.as_str()));
        if self.format == Format::Graph2024 {
            fields.insert("is_template".to_owned(), json!(false));
        }
    }

    /// The id of a node's block, and how its pins are called there.
    fn block(
        &self,
        node: &Node,
        kept: &NodeOrigin,
        graph: &NamedGraph,
        notes: &mut Vec<ImportNote>,
    ) -> (String, Pins) {
        if let Some(id) = &kept.block_id {
            let pins = Pins::of(node, id);
            // Whoever put another block there meant that.
            let is_same = !matches!(pins, Pins::Same)
                || node.block == "@placeholder"
                || id.strip_prefix(OURS) == Some(&node.block);
            if is_same && (!matches!(pins, Pins::Graph) || self.graphs.contains_key(node.block.as_str())) {
                return (id.clone(), pins);
            }
        }
        if self.graphs.contains_key(node.block.as_str()) {
            let id = by_class(EXECUTOR).map_or("", |alias| alias.ids[0]);
            return (id.to_owned(), Pins::Graph);
        }
        if let Some(alias) = by_block(node) {
            return (alias.ids[0].to_owned(), Pins::Alias(alias));
        }
        let message = format!("AutoGPT has no block like `{}`; only selfmade can read the node", node.block);
        notes.push(ImportNote::new(What::MissingBlock, graph.name.as_str(), message).at(&node.id));
        (format!("{OURS}{}", node.block), Pins::Same)
    }

    fn node(&self, node: &Node, kept: &NodeOrigin, block_id: &str, pins: Pins, is_same: bool) -> Value {
        let mut written = node_json(node, block_id);
        let mut input = constants::back(pins, node, kept, is_same);
        let is_new = kept.block_id.is_none();
        if let (Pins::Graph, true, Some(callee)) = (pins, is_new, self.graphs.get(node.block.as_str())) {
            describe(&mut input, callee);
        }
        let has_input = !input.is_empty();
        written.insert("input_default".to_owned(), Value::Object(input));
        let except: &[&str] = match (has_input, node.metadata.is_empty()) {
            (true, true) => &["input_default"],
            (true, false) => &["input_default", "metadata"],
            (false, true) => &[],
            (false, false) => &["metadata"],
        };
        kept.rest.apply(&mut written, except);
        Value::Object(written)
    }
}

/// What a node that is not from a file says of the agent it calls.
fn describe(input: &mut Map<String, Value>, callee: &NamedGraph) {
    let fields = GraphOrigin::get(&callee.content).unwrap_or_default().fields;
    let id = fields.get("id").cloned().unwrap_or_else(|| json!(uuid(callee.name.as_str())));
    input.entry("graph_id").or_insert(id);
    input.entry("graph_version").or_insert_with(|| fields.get("version").cloned().unwrap_or(json!(1)));
    input.entry("user_id").or_insert(json!(""));
    input.entry("inputs").or_insert(json!({}));
    for (key, block) in [("input_schema", "@input"), ("output_schema", "@output")] {
        let nodes = callee.content.nodes.iter().filter(|node| node.block == block);
        let names = nodes.filter_map(|node| node.input.get("name")?.as_str());
        let properties: Map<String, Value> =
            names.map(|name| (name.to_owned(), json!({"title": name}))).collect();
        input.insert(key.to_owned(), json!({"type": "object", "properties": properties, "required": []}));
    }
}

/// Several blocks there are one here: an input is that of its type.
fn by_block(node: &Node) -> Option<&'static BlockAlias> {
    let schema = node.input.get("schema");
    let is_same = |(pin, json): &(&str, &str)| {
        let value = if *pin == "schema" { schema } else { node.input.get(*pin) };
        serde_json::from_str::<Value>(json).ok().as_ref() == value
    };
    let all = || all().filter(|alias| alias.block == node.block && !alias.block.is_empty());
    let exact = all().find(|alias| !alias.constants.is_empty() && alias.constants.iter().all(is_same));
    exact.or_else(|| all().find(|alias| alias.constants.is_empty()))
}

/// A node without its defaults.
pub(in crate::graph::exchange) fn node_json(node: &Node, block_id: &str) -> Map<String, Value> {
    let mut written = Map::new();
    written.insert("id".to_owned(), json!(node.id));
    written.insert("block_id".to_owned(), json!(block_id));
    written.insert("metadata".to_owned(), json!(node.metadata));
    written
}

pub(in crate::graph::exchange) fn link_json(link: &Link, from: Pins, to: Pins) -> Map<String, Value> {
    let mut written = Map::new();
    let id = link.id.clone().unwrap_or_else(|| uuid(&link.to_string()));
    let fields = [
        ("id", json!(id)),
        ("source_id", json!(link.from)),
        ("sink_id", json!(link.to)),
        ("source_name", json!(from.their_output(&link.from_pin))),
        ("sink_name", json!(to.their_sink(&link.to_pin))),
        ("is_static", json!(link.is_static)),
    ];
    written.extend(fields.map(|(key, value)| (key.to_owned(), value)));
    written
}

fn links(content: &GraphContent, pins: &BTreeMap<&str, Pins>, is_same_generation: bool) -> Vec<Value> {
    let mut links = Vec::with_capacity(content.links.len());
    let ways = Ways::of(content);
    for link in &content.links {
        let origin = LinkOrigin::get(link).unwrap_or_default();
        if origin.added {
            continue;
        }
        let link = ways.joined(link);
        let end = |id: &str| pins.get(id).copied().unwrap_or(Pins::Same);
        let mut written = link_json(&link, end(&link.from), end(&link.to));
        for (key, node) in [("source_id", &link.from), ("sink_id", &link.to)] {
            if let Some(Role::StandsFor(id) | Role::Absent(id)) = ways.roles.get(node.as_str()) {
                written.insert(key.to_owned(), json!(id));
            }
        }
        let is_same = is_same_generation
            && origin.ends.is_some_and(|ends| link.ends() == ends.each_ref().map(String::as_str));
        let ends = ["source_id", "source_name", "sink_id", "sink_name"];
        origin.rest.apply(&mut written, if is_same { &[] } else { &ends });
        links.push(Value::Object(written));
    }
    links
}

/// The nodes that are not in the file, and where the ways through them lead.
pub(in crate::graph::exchange) struct Ways<'a> {
    roles: HashMap<&'a str, Role>,
    next: HashMap<&'a str, &'a Link>,
}

impl<'a> Ways<'a> {
    pub(in crate::graph::exchange) fn of(content: &'a GraphContent) -> Ways<'a> {
        let role = |node: &'a Node| Some((node.id.as_str(), NodeOrigin::get(node)?.role?));
        let roles: HashMap<&str, Role> = content.nodes.iter().filter_map(role).collect();
        let on_the_way = |link: &&Link| roles.get(link.from.as_str()) == Some(&Role::OnTheWay);
        let next = content.links.iter().filter(on_the_way).map(|link| (link.from.as_str(), link)).collect();
        Ways { roles, next }
    }

    /// A link as the file has it: past the nodes that were put on its way.
    pub(in crate::graph::exchange) fn joined(&self, link: &Link) -> Link {
        let mut joined = link.clone();
        // A way has two nodes at most, but it may have been edited to go round.
        for _ in 0..self.next.len() {
            let Some(next) = self.next.get(joined.to.as_str()) else { break };
            joined.to.clone_from(&next.to);
            joined.to_pin.clone_from(&next.to_pin);
        }
        joined
    }
}

/// An id that is the same each time.
fn uuid(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    Builder::from_custom_bytes(bytes).into_uuid().to_string()
}
