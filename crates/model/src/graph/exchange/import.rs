//! From a file of AutoGPT to graphs of ours.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::executor::{Callee, callee};
use super::origin::{GraphOrigin, NodeOrigin, Role};
use super::pins::{EXECUTOR, OURS, Pins};
use super::report::{ImportNote, ImportReport, MissingBlock, What};
use super::theirs::{TheirFile, TheirGraph, TheirNode};
use super::{Format, Imported, NamedGraph, ReadError, constants, fit, formats, indices, names, tools};
use crate::graph::aliases::{Uses, alias};
use crate::graph::content::MAX_ID_BYTES;
use crate::graph::{Blocks, GraphContent, Link, Node};
use crate::name::EntryName;
use crate::phrase::cut;

/// A graph on its way. Its first nodes and links are those of the file, in the same places; what is added follows them.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) name: EntryName,
    pub(super) format: Format,
    pub(super) file: TheirGraph,
    pub(super) content: GraphContent,
    /// What is kept of each node, as far as it is known yet.
    pub(super) origins: Vec<NodeOrigin>,
    /// The placeholders that were added, by what they are for.
    pub(super) stand_ins: HashMap<Role, String>,
}

pub(super) fn import(file: TheirFile, blocks: &dyn Blocks) -> Result<Imported, ReadError> {
    let titles: Vec<&str> = file.graphs.iter().map(|graph| graph.text("name")).collect();
    let names = names::derive(&titles);
    let pairs = file.graphs.iter().zip(&names).enumerate();
    let callees: Vec<Callee> = pairs.map(|(at, (graph, name))| Callee::of(at, graph, name)).collect();
    let mut report = ImportReport::default();
    for (at, found) in &file.secrets {
        let message =
            "a secret was left out; store it with `selfmade secret set` and grant it to the function";
        let note = ImportNote::new(What::Secret, names[*at].as_str(), message);
        report.notes.push(note.at(&found.node).pin(&found.pin));
    }
    let (format, lists_subs) = (file.format, file.lists_subs);
    let graphs = file.graphs.into_iter().zip(&names);
    let mut all: Vec<Incoming> = graphs
        .map(|(graph, name)| Incoming::new(graph, name, format, &callees, blocks, &mut report))
        .collect();
    fit::fit(&mut all, blocks, &mut report).map_err(ReadError::Refused)?;
    let subs = lists_subs.then(|| names.iter().skip(1).map(ToString::to_string).collect::<Vec<_>>());
    let mut graphs: Vec<NamedGraph> = all.into_iter().map(Incoming::finish).collect();
    if let (Some(main), Some(subs)) = (graphs.first_mut(), subs) {
        let mut origin = GraphOrigin::get(&main.content).unwrap_or_default();
        origin.sub_graphs = Some(subs);
        origin.set(&mut main.content);
    }
    Ok(Imported { format, graphs, report, is_named: true })
}

impl Incoming {
    fn new(
        file: TheirGraph,
        name: &EntryName,
        format: Format,
        callees: &[Callee],
        blocks: &dyn Blocks,
        report: &mut ImportReport,
    ) -> Incoming {
        let content =
            GraphContent { description: file.text("description").to_owned(), ..GraphContent::default() };
        let mut incoming = Incoming {
            name: name.clone(),
            format,
            file,
            content,
            origins: Vec::new(),
            stand_ins: HashMap::new(),
        };
        incoming.add_nodes(callees, blocks, report);
        incoming.add_links(report);
        formats::insert(&mut incoming, blocks);
        if format == Format::Graph2024 {
            indices::renumber(&mut incoming.content);
        }
        tools::name(&mut incoming, blocks);
        incoming
    }

    fn add_nodes(&mut self, callees: &[Callee], blocks: &dyn Blocks, report: &mut ImportReport) {
        let mut ids = HashSet::new();
        let mut linked: HashMap<&str, HashSet<&str>> = HashMap::new();
        for link in &self.file.links {
            linked.entry(&link.sink).or_default().insert(base(&link.sink_pin));
        }
        for (at, file) in self.file.nodes.iter().enumerate() {
            let id = new_id(&file.id, at, &mut ids);
            if id != file.id {
                let message = format!(
                    "its id `{}` is empty, too long or taken, so it is `{id}` here",
                    cut(&file.id, 60)
                );
                report.notes.push(ImportNote::new(What::Renamed, self.name.as_str(), message).at(&id));
            }
            let (block, mut origin) = placed(file, &id, &self.name, callees, blocks, report);
            let mut node = Node { metadata: file.metadata.clone(), ..Node::new(&id, &block) };
            let pins = Pins::of(&node, &file.block_id);
            let is_linked = |pin: &str| linked.get(file.id.as_str()).is_some_and(|pins| pins.contains(pin));
            node.input = constants::translate(pins, self.format, &file.input, &is_linked);
            origin.block_id = Some(file.block_id.clone());
            self.content.nodes.push(node);
            self.origins.push(origin);
        }
    }

    fn add_links(&mut self, report: &mut ImportReport) {
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (at, file) in self.file.nodes.iter().enumerate() {
            places.entry(&file.id).or_insert(at);
        }
        let mut ids = HashSet::new();
        for file in &self.file.links {
            let (from, to) = (places.get(file.source.as_str()), places.get(file.sink.as_str()));
            let pins = |at: Option<&usize>| at.map_or(Pins::Same, |at| self.pins(*at));
            let id = |at: Option<&usize>, theirs: &str| {
                at.map_or(theirs.to_owned(), |at| self.content.nodes[*at].id.clone())
            };
            let link = Link {
                id: file.id.clone().filter(|id| id.len() <= MAX_ID_BYTES && ids.insert(id.clone())),
                from: id(from, &file.source),
                from_pin: pins(from).output(&file.source_pin),
                to: id(to, &file.sink),
                // A pin that is dropped here is unknown to the block, which is repaired with all others.
                to_pin: pins(to).sink(&file.sink_pin).unwrap_or_else(|| file.sink_pin.clone()),
                is_static: file.is_static || from.is_some_and(|at| self.keeps(*at)),
                ..Link::default()
            };
            self.content.links.push(link);
        }
        self.note_repeated_outputs(report);
    }

    pub(super) fn pins(&self, at: usize) -> Pins {
        Pins::of(&self.content.nodes[at], &self.file.nodes[at].block_id)
    }

    /// Whether AutoGPT makes all links from it static and we do not by ourselves.
    fn keeps(&self, at: usize) -> bool {
        let is_built_in = ["@input", "@output", "@store"].contains(&self.content.nodes[at].block.as_str());
        !is_built_in && alias(&self.file.nodes[at].block_id).is_some_and(|alias| alias.is_static)
    }

    fn note_repeated_outputs(&self, report: &mut ImportReport) {
        let mut names = HashSet::new();
        for node in self.content.nodes.iter().filter(|node| node.block == "@output") {
            let Some(name) = node.input.get("name").and_then(Value::as_str) else { continue };
            if !names.insert(name) {
                let message = "another output has this name; the values of both leave under it";
                report
                    .notes
                    .push(ImportNote::new(What::Renamed, self.name.as_str(), message).at(&node.id).pin(name));
            }
        }
    }
}

/// The pin without its path, as the file writes it.
pub(super) fn base(pin: &str) -> &str {
    let marks = ["_#_", "_$_", "_@_"];
    &pin[..marks.iter().filter_map(|mark| pin.find(mark)).min().unwrap_or(pin.len())]
}

/// Ids are any text, but each once and not too long.
fn new_id(id: &str, at: usize, taken: &mut HashSet<String>) -> String {
    let wanted = match id {
        "" => format!("node_{at}"),
        id if id.len() > MAX_ID_BYTES => cut(id, 40),
        id => id.to_owned(),
    };
    let mut new = wanted.clone();
    let mut number = 2;
    while !taken.insert(new.clone()) {
        new = format!("{}_{number}", cut(&wanted, 40));
        number += 1;
    }
    new
}

/// The block that stands for one of the file.
fn placed(
    file: &TheirNode,
    id: &str,
    graph: &EntryName,
    callees: &[Callee],
    blocks: &dyn Blocks,
    report: &mut ImportReport,
) -> (String, NodeOrigin) {
    let mut origin = NodeOrigin::default();
    let note = |what, message: &str| ImportNote::new(what, graph.as_str(), message).at(id);
    let found = alias(&file.block_id);
    origin.class = found.map(|alias| alias.class.to_owned());
    if let Some(Uses::Service(service)) = found.map(|alias| alias.uses) {
        report.services.entry(service.to_owned()).or_default().push(id.to_owned());
    }
    if found.is_some_and(|alias| alias.class == EXECUTOR) {
        match callee(callees, &file.input) {
            Ok((name, guess)) => {
                report.notes.extend(guess.map(|message| note(What::GuessedGraph, &message)));
                return (name.to_string(), origin);
            }
            Err(message) => {
                report.notes.push(note(What::MissingGraph, &message));
                origin.missing = Some(message);
                return ("@placeholder".to_owned(), origin);
            }
        }
    }
    let block = match found {
        Some(alias) => alias.block,
        None => file.block_id.strip_prefix(OURS).unwrap_or_default(),
    };
    let is_there = match block.strip_prefix('@') {
        Some(_) => true,
        None => !block.is_empty() && blocks.signature(block, None).is_ok(),
    };
    if is_there {
        return (block.to_owned(), origin);
    }
    let kept = "a placeholder keeps its values and links, and nothing that needs it runs";
    let message = match (found, block) {
        (None, "") => format!("no block with the id `{}` is known; {kept}", cut(&file.block_id, 60)),
        (Some(alias), "") => format!("there is no block like `{}` here; {kept}", alias.class),
        _ => format!(
            "the function `{block}` is not in the brain; {kept}; load a pack that has it and import the file again"
        ),
    };
    report.notes.push(note(What::MissingBlock, &message));
    let missing = MissingBlock {
        block_id: file.block_id.clone(),
        class: origin.class.clone(),
        function: (!block.is_empty()).then(|| block.to_owned()),
        nodes: Vec::new(),
    };
    report.missing(&missing, graph.as_str(), id);
    origin.missing = Some(message);
    ("@placeholder".to_owned(), origin)
}
