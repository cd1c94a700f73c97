//! Tools: what an orchestrator is linked to. All its tool links to one node are one tool, whatever their pins are called; each
//! is a parameter, named by the pin it leads to.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::import::Incoming;
use super::names::clean;
use super::origin::{LinkOrigin, NodeOrigin, Role};
use super::pins::{ORCHESTRATOR, Pins};
use super::theirs::TheirLink;
use crate::graph::aliases::alias;
use crate::graph::block::BlockSignature;
use crate::graph::builtin::Builtin;
use crate::graph::fit::part_schema;
use crate::graph::node::BlockName;
use crate::graph::pin_path::PinPath;
use crate::graph::{Blocks, Link, Node};
use crate::phrase::cut;

/// Providers of models take names of this length.
const MAX_NAME: usize = 60;

/// Gives the tool links of each orchestrator their pins, `tools_#_NAME_#_FIELD`, and the node a description of the tools.
pub(super) fn name(incoming: &mut Incoming, blocks: &dyn Blocks) {
    for at in 0..incoming.file.nodes.len() {
        let links: Vec<usize> = incoming.tool_links(at).into_iter().map(|(link, _)| link).collect();
        seed(incoming, at);
        if links.is_empty() {
            continue;
        }
        let mut tools: Vec<Tool> = Vec::new();
        let mut names = HashSet::new();
        for link in links {
            let sink = incoming.content.links[link].to.clone();
            let known = tools.iter().position(|tool| tool.sink == sink);
            let tool = known.unwrap_or_else(|| {
                tools.push(Tool::of(incoming, sink, &mut names, blocks));
                tools.len() - 1
            });
            let tool = &mut tools[tool];
            let to_pin = &incoming.content.links[link].to_pin;
            let field = unique(&clean(to_pin), "value", &mut tool.taken);
            tool.fields.push((field.clone(), tool.schema(to_pin)));
            incoming.content.links[link].from_pin = format!("tools_#_{}_#_{field}", tool.name);
        }
        let functions: Vec<Value> = tools.iter().map(Tool::describe).collect();
        incoming.content.nodes[at].input.insert("functions".to_owned(), Value::Array(functions));
    }
}

/// The pins of its loop. They are not awaited in the first turn there; here they are given what says that nothing was said yet.
const LOOP: [(&str, Value); 2] =
    [("conversation_history", Value::Array(Vec::new())), ("last_tool_output", Value::Null)];

fn seed(incoming: &mut Incoming, at: usize) {
    let is_orchestrator = matches!(incoming.pins(at), Pins::Alias(alias) if alias.class == ORCHESTRATOR);
    let id = incoming.content.nodes[at].id.clone();
    for (pin, value) in LOOP.iter().filter(|_| is_orchestrator) {
        let is_linked = incoming.content.links.iter().any(|link| link.to == id && link.to_pin == *pin);
        if !is_linked {
            continue;
        }
        let ids: HashSet<&str> = incoming.content.nodes.iter().map(|node| node.id.as_str()).collect();
        let new = super::fit::unique(&format!("{} (first {pin})", cut(&id, 40)), &|id| ids.contains(id));
        // Unlike those of `@store`, its values are taken once.
        let mut node = Node::new(&new, "@iterate").with("items", vec![value.clone()]);
        NodeOrigin::role(Role::Starts).set(&mut node);
        incoming.content.nodes.push(node);
        let mut link = Link::new(&new, "item", &id, pin);
        LinkOrigin::added().set(&mut link);
        incoming.content.links.push(link);
    }
}

impl Incoming {
    /// The links of the file from the tool pins of a node, with their places.
    fn tool_links(&self, at: usize) -> Vec<(usize, &TheirLink)> {
        let is_orchestrator = matches!(self.pins(at), Pins::Alias(alias) if alias.class == ORCHESTRATOR);
        let id = &self.file.nodes[at].id;
        let links = self.file.links.iter().enumerate().filter(|_| is_orchestrator);
        let is_tool =
            |link: &TheirLink| link.source_pin == "tools" || link.source_pin.starts_with("tools_^_");
        links.filter(|(_, link)| link.source == *id && is_tool(link)).collect()
    }
}

struct Tool {
    sink: String,
    name: String,
    description: String,
    signature: Option<BlockSignature>,
    fields: Vec<(String, Value)>,
    taken: HashSet<String>,
}

impl Tool {
    fn of(incoming: &Incoming, sink: String, names: &mut HashSet<String>, blocks: &dyn Blocks) -> Tool {
        let at = incoming.content.nodes.iter().position(|node| node.id == sink);
        let file = at.and_then(|at| incoming.file.nodes.get(at));
        let title = file.and_then(|file| file.metadata.get("customized_name")?.as_str());
        let called = at
            .map(|at| &incoming.content.nodes[at])
            .filter(|_| at.is_some_and(|at| matches!(incoming.pins(at), Pins::Graph)));
        let class =
            file.and_then(|file| alias(&file.block_id)).map(|alias| alias.class.trim_end_matches("Block"));
        let title = title.or(called.map(|node| last(&node.block))).or(class).unwrap_or(&sink).to_owned();
        Tool {
            name: unique(&clean(&title), "tool", names),
            description: title,
            signature: at.and_then(|at| signature(&incoming.content.nodes[at], blocks)),
            fields: Vec::new(),
            taken: HashSet::new(),
            sink,
        }
    }

    fn schema(&self, pin: &str) -> Value {
        let find = |signature: &BlockSignature| {
            let path = PinPath::parse_with(pin, |pin| signature.input(pin).is_some()).ok()?;
            part_schema(&signature.input(path.pin())?.schema, path.parts())
        };
        self.signature.as_ref().and_then(find).filter(Value::is_object).unwrap_or_else(|| json!({}))
    }

    fn describe(&self) -> Value {
        let properties: Map<String, Value> = self.fields.iter().cloned().collect();
        let required: Vec<&String> = self.fields.iter().map(|(field, _)| field).collect();
        json!({
            "name": self.name,
            "description": self.description,
            "parameters": properties,
            "required": required
        })
    }
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn signature(node: &Node, blocks: &dyn Blocks) -> Option<BlockSignature> {
    match node.block_name() {
        Ok(BlockName::Builtin(Builtin::Placeholder)) | Err(_) => None,
        Ok(BlockName::Builtin(builtin)) => Some(builtin.signature(&node.input)),
        Ok(BlockName::Callable(name)) => blocks.signature(name, None).ok().map(|found| (*found).clone()),
    }
}

fn unique(name: &str, otherwise: &str, taken: &mut HashSet<String>) -> String {
    let mut wanted = if name.is_empty() { otherwise.to_owned() } else { name.to_owned() };
    wanted.truncate(MAX_NAME);
    let mut name = wanted.clone();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{wanted}_{number}");
        number += 1;
    }
    name
}
