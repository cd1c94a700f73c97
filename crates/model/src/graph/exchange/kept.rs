//! What is kept of a file beside the graph, once the graph is what it will be.

use std::collections::{HashMap, HashSet};

use super::import::Incoming;
use super::origin::{Difference, Entry, GraphOrigin, LinkOrigin, NodeOrigin};
use super::pins::Pins;
use super::write::Ways;
use super::{NamedGraph, constants, write};
use serde_json::{Map, Value};

impl Incoming {
    /// Notes what the graph cannot say.
    pub(super) fn finish(mut self) -> NamedGraph {
        let links = self.link_origins();
        for at in 0..self.file.nodes.len() {
            let origin = self.node_origin(at);
            origin.set(&mut self.content.nodes[at]);
        }
        for (link, origin) in self.content.links.iter_mut().zip(links) {
            if let Some(origin) = origin {
                origin.set(link);
            }
        }
        let computed = |key: &String| write::COMPUTED.contains(&key.as_str());
        let fields = self.file.fields.into_iter().filter(|(key, _)| !computed(key)).collect();
        GraphOrigin { format: Some(self.format), fields, sub_graphs: None }.set(&mut self.content);
        NamedGraph { name: self.name, content: self.content }
    }

    fn node_origin(&self, at: usize) -> NodeOrigin {
        let (file, node) = (&self.file.nodes[at], &self.content.nodes[at]);
        let mut origin = self.origins[at].clone();
        let pins = self.pins(at);
        let fixed = constants::added(pins);
        let mut claimed = HashSet::new();
        for (theirs, was) in constants::flat(pins, &file.input) {
            let pin = pins.input(&theirs);
            let current =
                pin.as_ref().filter(|pin| !claimed.contains(*pin)).and_then(|pin| node.input.get(pin));
            let is_back = |pin: &String| pins.their_input(pin) == theirs && fixed.get(pin) != Some(&was);
            let is_plain = current == Some(&was) && pin.as_ref().is_some_and(is_back);
            let pin = pin.filter(|_| current.is_some());
            claimed.extend(pin.clone());
            if !is_plain {
                let is = current.filter(|current| **current != was).cloned();
                origin.input.insert(theirs, Entry { was, pin, is });
            }
        }
        let added = node.input.iter().filter(|(pin, _)| !claimed.contains(*pin));
        origin.added = added.map(|(pin, value)| (pin.clone(), value.clone())).collect();
        let mut original = file.json.clone();
        original.shift_remove("input_default");
        let mut written = write::node_json(node, &file.block_id);
        // An empty object is written, whatever there was.
        if !file.json.contains_key("input_default") {
            written.insert("input_default".to_owned(), Value::Object(Map::new()));
        }
        origin.rest = Difference::between(&written, &original);
        origin
    }

    /// Of the links of the file, in their order.
    fn link_origins(&self) -> Vec<Option<LinkOrigin>> {
        let ways = Ways::of(&self.content);
        let ids = self.content.nodes[..self.file.nodes.len()].iter().enumerate();
        let pins: HashMap<&str, Pins> = ids.map(|(at, node)| (node.id.as_str(), self.pins(at))).collect();
        let of = |id: &str| pins.get(id).copied().unwrap_or(Pins::Same);
        let links = self.content.links.iter().zip(&self.file.links);
        let origins = links.map(|(link, file)| {
            let link = ways.joined(link);
            let rest =
                Difference::between(&write::link_json(&link, of(&link.from), of(&link.to)), &file.json);
            let ends = link.ends().map(str::to_owned);
            (!rest.is_empty()).then_some(LinkOrigin { added: false, ends: Some(ends), rest })
        });
        origins.collect()
    }
}
