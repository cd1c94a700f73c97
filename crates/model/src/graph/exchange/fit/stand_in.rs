//! Stand-ins: placeholders that hold links to and from pins that a block does not have. What waits for such a pin waits for ever,
//! instead of starting without it.

use std::collections::HashSet;

use serde_json::json;

use super::repair::{End, Repair};
use super::unique;
use crate::graph::exchange::origin::{LinkOrigin, NodeOrigin, Role};
use crate::graph::exchange::report::What;
use crate::graph::{Link, Node};
use crate::phrase::cut;

/// The pins of stand-ins are shown to people only.
const MAX_PIN: usize = 100;
const MAX_ID: usize = 40;

impl Repair<'_> {
    /// Leads an end of a link to the stand-in of the node there.
    pub(super) fn redirect(&mut self, at: usize, end: End, why: &str) {
        let link = &self.incoming.content.links[at];
        let (node, pin) = match end {
            End::Source => (link.from.clone(), link.from_pin.clone()),
            End::Sink => (link.to.clone(), link.to_pin.clone()),
        };
        let is_placeholder = self.node(&node).is_some_and(|node| node.block == "@placeholder");
        let new = if is_placeholder { node.clone() } else { self.stand_in(&node) };
        self.lead(at, end, &new, &pin);
        let message = match is_placeholder {
            true => format!("the pin has another name here: {why}"),
            false => format!("the link leads to the placeholder `{new}`: {why}"),
        };
        self.note(What::Link, &node, Some(&pin), message);
    }

    /// A placeholder for a node that the graph does not have.
    pub(super) fn find_nodes(&mut self, at: usize) {
        for end in [End::Source, End::Sink] {
            let link = &self.incoming.content.links[at];
            let (node, pin) = match end {
                End::Source => (link.from.clone(), link.from_pin.clone()),
                End::Sink => (link.to.clone(), link.to_pin.clone()),
            };
            if self.node(&node).is_some() {
                continue;
            }
            let wanted = if node.is_empty() { "missing".to_owned() } else { cut(&node, MAX_ID) };
            let new = self.placeholder(&wanted, Role::Absent(node), "a node that is not in the file");
            self.lead(at, end, &new, &pin);
            let message =
                "a link names this node, which the file does not have; a placeholder holds the link";
            self.note(What::Link, &new, Some(&pin), message);
        }
    }

    /// A required pin without a value is fed by a placeholder, so the node waits, as it does in AutoGPT.
    pub(super) fn missing_input(&mut self, id: &str, pin: &str) {
        // What decides what a block is cannot be linked.
        let is_border = self
            .incoming
            .content
            .node(id)
            .is_some_and(|node| node.block.ends_with("put") && node.block.starts_with('@'));
        if is_border && pin == "name" {
            return self.give_up(id, "it has no name");
        }
        let stand_in = self.stand_in(id);
        let mut link = Link::new(&stand_in, &plain(pin), id, pin);
        LinkOrigin::added().set(&mut link);
        self.incoming.content.links.push(link);
        let message = format!(
            "it has no value, so the node waits for the placeholder `{stand_in}`; link it or give it a constant"
        );
        self.note(What::MissingInput, id, Some(pin), message);
    }

    fn lead(&mut self, at: usize, end: End, node: &str, pin: &str) {
        let wanted = plain(pin);
        let pins: HashSet<&str> = match end {
            // Several links from one pin are fine, but two to one pin could be the same.
            End::Source => HashSet::new(),
            End::Sink => {
                let links = self.incoming.content.links.iter().enumerate();
                links
                    .filter(|(other, link)| *other != at && link.to == node)
                    .map(|(_, link)| link.to_pin.as_str())
                    .collect()
            }
        };
        let pin = unique(&wanted, &|pin| pins.contains(pin));
        let link = &mut self.incoming.content.links[at];
        match end {
            End::Source => (link.from, link.from_pin) = (node.to_owned(), pin),
            End::Sink => (link.to, link.to_pin) = (node.to_owned(), pin),
        }
    }

    fn stand_in(&mut self, node: &str) -> String {
        let wanted = format!("{} (missing)", cut(node, MAX_ID));
        self.placeholder(&wanted, Role::StandsFor(node.to_owned()), "pins that the block does not have here")
    }

    /// The one of this role, made if there is none yet.
    fn placeholder(&mut self, wanted: &str, role: Role, title: &str) -> String {
        if let Some(id) = self.incoming.stand_ins.get(&role) {
            return id.clone();
        }
        let id = self.new_id(wanted);
        self.incoming.stand_ins.insert(role.clone(), id.clone());
        let mut node = Node::new(&id, "@placeholder");
        node.metadata.insert("title".to_owned(), json!(title));
        NodeOrigin::role(role).set(&mut node);
        self.incoming.content.nodes.push(node);
        id
    }

    pub(super) fn new_id(&self, wanted: &str) -> String {
        let ids: HashSet<&str> = self.incoming.content.nodes.iter().map(|node| node.id.as_str()).collect();
        unique(wanted, &|id| ids.contains(id))
    }
}

/// A pin whose name is no path: parts of one could contradict each other.
fn plain(pin: &str) -> String {
    let replaced = ["_$_", "_#_", "_@_"]
        .iter()
        .fold(pin.to_owned(), |pin, mark| pin.replace(mark, &format!(" {} ", &mark[1..2])));
    let name: String = replaced.chars().map(|c| if matches!(c, '.' | '[' | ']') { ' ' } else { c }).collect();
    let name = cut(name.trim(), MAX_PIN);
    if name.is_empty() { "pin".to_owned() } else { name }
}
