//! One repair for each kind of problem.

use std::collections::HashMap;

use serde_json::Value;

use super::convert::{Converter, converted};
use crate::graph::Blocks;
use crate::graph::block::BlockSignature;
use crate::graph::check::{Code, Problem};
use crate::graph::exchange::import::Incoming;
use crate::graph::exchange::origin::{NodeOrigin, Role};
use crate::graph::exchange::report::{ImportNote, ImportReport, What};
use crate::graph::fit::part_schema;
use crate::graph::node::BlockName;
use crate::graph::pin_path::PinPath;
use crate::graph::{Link, Node};

/// Enough for a loop over some thousand items, and an end for one that has none.
const BUDGET: u64 = 100_000;

pub(super) struct Repair<'a> {
    pub(super) incoming: &'a mut Incoming,
    pub(super) blocks: &'a dyn Blocks,
    report: &'a mut ImportReport,
    /// The places of links by their ends, when the problems were found.
    links: HashMap<[String; 4], Vec<usize>>,
    /// The places of nodes by their ids.
    places: HashMap<String, usize>,
    converter: Option<Converter>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum End {
    Source,
    Sink,
}

impl<'a> Repair<'a> {
    pub(super) fn new(
        incoming: &'a mut Incoming,
        blocks: &'a dyn Blocks,
        report: &'a mut ImportReport,
    ) -> Repair<'a> {
        let mut links: HashMap<[String; 4], Vec<usize>> = HashMap::new();
        for (at, link) in incoming.content.links.iter().enumerate() {
            links.entry(link.ends().map(str::to_owned)).or_default().push(at);
        }
        let nodes = incoming.content.nodes.iter().enumerate();
        let places = nodes.map(|(at, node)| (node.id.clone(), at)).collect();
        Repair { incoming, blocks, report, links, places, converter: Converter::find(blocks) }
    }

    /// Answers with those for which nothing can be done.
    pub(super) fn all(mut self, problems: Vec<Problem>) -> Vec<Problem> {
        problems.into_iter().filter(|problem| !self.one(problem)).collect()
    }

    fn one(&mut self, problem: &Problem) -> bool {
        if problem.link.is_none() {
            return self.of_node(problem);
        }
        match self.link_of(problem) {
            Some(at) => self.of_link(at, problem),
            // Another repair of this round has changed the link already.
            None => true,
        }
    }

    fn of_link(&mut self, at: usize, problem: &Problem) -> bool {
        let node = problem.node.as_deref().unwrap_or_default();
        let pin = problem.pin.as_deref().unwrap_or_default();
        match problem.code {
            Code::LinkToNowhere => self.find_nodes(at),
            Code::DuplicateLink => self.redirect(at, End::Sink, "this link is there twice"),
            Code::UnknownPin | Code::BadPin | Code::ConstantPin => {
                self.pin_of(at, node, pin, &problem.message);
            }
            Code::CannotFit => self.cannot_fit(at, node, pin, &problem.message),
            _ => return false,
        }
        true
    }

    fn of_node(&mut self, problem: &Problem) -> bool {
        let node = problem.node.as_deref().unwrap_or_default();
        let pin = problem.pin.as_deref().unwrap_or_default();
        match problem.code {
            Code::UnknownBlock | Code::UnknownVersion | Code::ContainsItself => {
                self.give_up(node, &problem.message);
            }
            Code::UnknownPin | Code::BadPin => self.leave_out(node, pin, &problem.message),
            Code::WrongConstant => self.wrong_constant(node, pin, &problem.message),
            Code::PinConflict => self.conflict(node, pin, &problem.message),
            Code::MissingInput => self.missing_input(node, pin),
            Code::CycleWithoutBudget => self.set_budget(),
            Code::NothingToStart => self.add_start(),
            _ => return false,
        }
        true
    }

    /// Of several with the same ends the last, which is the one too many.
    fn link_of(&self, problem: &Problem) -> Option<usize> {
        let link = problem.link.as_ref()?;
        let ends = [&link.from, &link.from_pin, &link.to, &link.to_pin].map(Clone::clone);
        let is_same = |at: &&usize| {
            let known = &self.incoming.content.links[**at];
            known.ends() == [ends[0].as_str(), &ends[1], &ends[2], &ends[3]]
        };
        self.links.get(&ends)?.iter().rev().find(is_same).copied()
    }

    pub(super) fn note(&mut self, what: What, node: &str, pin: Option<&str>, message: impl Into<String>) {
        let note = ImportNote::new(what, self.incoming.name.as_str(), message).at(node);
        self.report.notes.push(match pin {
            Some(pin) => note.pin(pin),
            None => note,
        });
    }

    /// Nodes are not removed, and those that were added since are few.
    fn place(&self, id: &str) -> Option<usize> {
        let known = self.places.get(id).copied();
        known.or_else(|| self.incoming.content.nodes.iter().position(|node| node.id == id))
    }

    pub(super) fn node(&self, id: &str) -> Option<&Node> {
        self.place(id).map(|at| &self.incoming.content.nodes[at])
    }

    pub(super) fn node_mut(&mut self, id: &str) -> Option<&mut Node> {
        let at = self.place(id)?;
        self.incoming.content.nodes.get_mut(at)
    }

    /// A placeholder stands for a block that cannot be what it should be.
    pub(super) fn give_up(&mut self, id: &str, why: &str) {
        let Some(at) = self.place(id) else { return };
        if self.incoming.content.nodes[at].block == "@placeholder" {
            return;
        }
        let message = format!("{why}; a placeholder stands for it");
        "@placeholder".clone_into(&mut self.incoming.content.nodes[at].block);
        if let Some(file) = self.incoming.file.nodes.get(at) {
            let present = file.input.iter().filter(|(_, value)| !value.is_null());
            let input = present.map(|(pin, value)| (pin.clone(), value.clone())).collect();
            self.incoming.content.nodes[at].input = input;
            self.incoming.origins[at].missing = Some(message.clone());
            for link in 0..self.incoming.file.links.len() {
                self.call_pins_as_in_file(link, at);
            }
        }
        self.note(What::MissingBlock, id, None, message);
    }

    /// The pins of a placeholder are those of the file.
    fn call_pins_as_in_file(&mut self, link: usize, node: usize) {
        let (file, id) = (&self.incoming.file.links[link], &self.incoming.content.nodes[node].id);
        let new = &mut self.incoming.content.links[link];
        if new.from == *id {
            new.from_pin.clone_from(&file.source_pin);
        }
        if new.to == *id {
            new.to_pin.clone_from(&file.sink_pin);
        }
    }

    fn pin_of(&mut self, at: usize, node: &str, pin: &str, message: &str) {
        let link = &self.incoming.content.links[at];
        let is_source = link.from == node && link.from_pin == pin;
        self.redirect(at, if is_source { End::Source } else { End::Sink }, message);
    }

    fn cannot_fit(&mut self, at: usize, node: &str, pin: &str, message: &str) {
        let link = self.incoming.content.links[at].clone();
        let is_source = link.from == node && link.from_pin == pin && (link.to != node || link.to_pin != pin);
        let kind = self.schema_of(&link).as_ref().and_then(super::convert::kind);
        let passes = |id: &str| {
            self.node(id).and_then(NodeOrigin::get).is_some_and(|origin| origin.role == Some(Role::OnTheWay))
        };
        let was_tried = passes(&link.from) || passes(&link.to);
        match (&self.converter, kind) {
            (Some(converter), Some(kind)) if !is_source && !was_tried => {
                let converter = converter.clone();
                converter.insert(&mut self.incoming.content, at, kind);
                let message = format!(
                    "what arrives is converted to a {kind} on its way, as AutoGPT does silently: it {message}"
                );
                self.note(What::Converted, node, Some(pin), message);
            }
            _ => self.redirect(at, if is_source { End::Source } else { End::Sink }, message),
        }
    }

    /// What the link's input pin takes.
    fn schema_of(&self, link: &Link) -> Option<Value> {
        let signature = self.signature(self.node(&link.to)?)?;
        let path = PinPath::parse_with(&link.to_pin, |pin| signature.input(pin).is_some()).ok()?;
        part_schema(&signature.input(path.pin())?.schema, path.parts())
    }

    fn signature(&self, node: &Node) -> Option<BlockSignature> {
        match node.block_name().ok()? {
            BlockName::Builtin(builtin) => Some(builtin.signature(&node.input)),
            BlockName::Callable(name) => {
                self.blocks.signature(name, node.version).ok().map(|found| (*found).clone())
            }
        }
    }

    fn leave_out(&mut self, id: &str, pin: &str, message: &str) {
        let Some(node) = self.node_mut(id) else { return };
        if node.input.shift_remove(pin).is_some() {
            let message = format!("the constant is kept for export only: {message}");
            self.note(What::Constant, id, Some(pin), message);
        }
    }

    fn wrong_constant(&mut self, id: &str, pin: &str, message: &str) {
        let Some(node) = self.node(id) else { return };
        let schema =
            self.signature(node).and_then(|signature| signature.input(pin).map(|pin| pin.schema.clone()));
        let value = node.input.get(pin).cloned();
        let new = value.as_ref().zip(schema).and_then(|(value, schema)| converted(value, &schema));
        match (value, new) {
            (Some(value), Some(new)) if new != value => {
                let message = format!("the constant was converted: {message}");
                self.note(What::Constant, id, Some(pin), message);
                if let Some(node) = self.node_mut(id) {
                    node.input.insert(pin.to_owned(), new);
                }
            }
            (Some(_), _) => self.leave_out(id, pin, message),
            // It is made of parts, one of which is wrong.
            (None, _) => {
                let parts = |key: &&String| {
                    PinPath::parse(key).is_ok_and(|path| path.as_str() == pin || path.pin() == pin)
                };
                let keys: Vec<String> = node.input.keys().filter(parts).cloned().collect();
                for key in keys {
                    self.leave_out(id, &key, message);
                }
            }
        }
    }

    fn conflict(&mut self, id: &str, pin: &str, message: &str) {
        self.leave_out(id, pin, message);
        let leads = |link: &Link| link.to == id && link.to_pin == pin;
        let links: Vec<usize> = (0..self.incoming.content.links.len())
            .filter(|at| leads(&self.incoming.content.links[*at]))
            .collect();
        for at in links {
            self.redirect(at, End::Sink, message);
        }
    }

    fn set_budget(&mut self) {
        if self.incoming.content.budget.replace(BUDGET).is_none() {
            let message = format!(
                "the graph has a cycle, so its runs were given a budget of {BUDGET} node executions; change `budget` if that is not enough"
            );
            self.report.notes.push(ImportNote::new(What::Added, self.incoming.name.as_str(), message));
        }
    }

    /// A graph of placeholders only could not be stored.
    fn add_start(&mut self) {
        let id = self.new_id("start");
        let mut node = Node::new(&id, "@store").with("input", Value::Null).with("data", Value::Null);
        NodeOrigin::role(Role::Starts).set(&mut node);
        self.incoming.content.nodes.push(node);
        self.note(
            What::Added,
            &id,
            None,
            "nothing in the graph can run, so a node that does nothing was added",
        );
    }
}
