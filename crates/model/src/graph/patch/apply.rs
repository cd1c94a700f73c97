//! Applying a patch.

use serde_json::{Number, Value, json};

use super::fields::{set_graph_field, set_node_field};
use super::{Change, LinkKey, Patch, PatchError};
use crate::changeset::check::nearest;
use crate::graph::content::{MAX_LINKS, MAX_NODES};
use crate::graph::{GraphContent, Link, Node};

/// The graph after the patch. One that is refused changes nothing.
pub fn apply(content: &GraphContent, patch: Patch) -> Result<(GraphContent, Change), PatchError> {
    let mut content = content.clone();
    let change = content.patch(patch)?;
    Ok((content, change))
}

impl GraphContent {
    /// Changes it in place; if it is refused, nothing has changed.
    pub fn patch(&mut self, patch: Patch) -> Result<Change, PatchError> {
        match patch {
            Patch::Add { node, at } => self.add(node, at),
            Patch::Remove { node } => self.remove(&node),
            Patch::Connect { link, at } => self.connect(link, at),
            Patch::Disconnect { link } => self.disconnect(&link),
            Patch::Set { node, pin, value } => self.set(node, pin, value),
            Patch::Unset { node, pin } => self.unset(node, pin),
            Patch::SetField { node, field, value } => self.set_field(node, field, Some(value)),
            Patch::UnsetField { node, field } => self.set_field(node, field, None),
            Patch::Move { node, x, y } => self.move_to(node, &x, &y),
            Patch::Rename { node, to } => self.rename(node, to),
        }
    }

    fn position(&self, id: &str) -> Result<usize, PatchError> {
        self.nodes.iter().position(|node| node.id == id).ok_or_else(|| {
            let known: Vec<String> = self.nodes.iter().take(2_000).map(|node| node.id.clone()).collect();
            PatchError::NodeNotFound { node: id.to_owned(), near: nearest(id, &known).map(str::to_owned) }
        })
    }

    fn is_free(&self, id: &str) -> Result<(), PatchError> {
        match id {
            "" => Err(PatchError::EmptyId),
            _ if self.node(id).is_some() => Err(PatchError::NodeExists { node: id.to_owned() }),
            _ => Ok(()),
        }
    }

    fn add(&mut self, node: Node, at: Option<usize>) -> Result<Change, PatchError> {
        self.is_free(&node.id)?;
        if self.nodes.len() >= MAX_NODES {
            return Err(PatchError::TooLarge);
        }
        let (id, block) = (node.id.clone(), node.block.clone());
        insert(&mut self.nodes, node, at)?;
        let undo = vec![Patch::Remove { node: id.clone() }];
        Ok(Change { what: format!("added node `{id}` with block `{block}`"), nodes: vec![id], undo })
    }

    fn remove(&mut self, id: &str) -> Result<Change, PatchError> {
        let at = self.position(id)?;
        let node = self.nodes.remove(at);
        let mut undo = vec![Patch::Add { node, at: Some(at) }];
        let mut nodes = vec![id.to_owned()];
        let links = std::mem::take(&mut self.links);
        for (at, link) in links.into_iter().enumerate() {
            if link.from != id && link.to != id {
                self.links.push(link);
                continue;
            }
            let other = if link.from == id { &link.to } else { &link.from };
            if !nodes.contains(other) {
                nodes.push(other.clone());
            }
            undo.push(Patch::Connect { link, at: Some(at) });
        }
        let links = undo.len() - 1;
        let what = format!("removed node `{id}` and {links} {}", if links == 1 { "link" } else { "links" });
        Ok(Change { what, nodes, undo })
    }

    fn connect(&mut self, link: Link, at: Option<usize>) -> Result<Change, PatchError> {
        self.position(&link.from)?;
        self.position(&link.to)?;
        if self.links.len() >= MAX_LINKS {
            return Err(PatchError::TooLarge);
        }
        let is_same = |known: &Link| known.ends() == link.ends() || link.id.is_some() && known.id == link.id;
        if let Some(known) = self.links.iter().find(|known| is_same(known)) {
            return Err(PatchError::LinkExists(LinkKey::of(known).to_string()));
        }
        let (what, nodes) = (format!("connected {link}"), vec![link.from.clone(), link.to.clone()]);
        let undo = vec![Patch::Disconnect { link: LinkKey::of(&link) }];
        insert(&mut self.links, link, at)?;
        Ok(Change { what, nodes, undo })
    }

    fn disconnect(&mut self, key: &LinkKey) -> Result<Change, PatchError> {
        let at = self.links.iter().position(|link| key.is_of(link));
        let at = at.ok_or_else(|| PatchError::LinkNotFound(key.to_string()))?;
        let link = self.links.remove(at);
        let nodes = vec![link.from.clone(), link.to.clone()];
        let what = format!("disconnected {link}");
        Ok(Change { what, nodes, undo: vec![Patch::Connect { link, at: Some(at) }] })
    }

    fn set(&mut self, node: String, pin: String, value: Value) -> Result<Change, PatchError> {
        let at = self.position(&node)?;
        let what = format!("set pin `{pin}` of node `{node}`");
        let undo = match self.nodes[at].input.insert(pin.clone(), value) {
            Some(value) => Patch::Set { node: node.clone(), pin, value },
            None => Patch::Unset { node: node.clone(), pin },
        };
        Ok(Change { what, nodes: vec![node], undo: vec![undo] })
    }

    fn unset(&mut self, node: String, pin: String) -> Result<Change, PatchError> {
        let at = self.position(&node)?;
        match self.nodes[at].input.remove(&pin) {
            Some(value) => {
                let what = format!("removed the constant of pin `{pin}` of node `{node}`");
                let undo = vec![Patch::Set { node: node.clone(), pin, value }];
                Ok(Change { what, nodes: vec![node], undo })
            }
            None => Err(PatchError::NotSet { node, pin }),
        }
    }

    fn set_field(
        &mut self,
        node: Option<String>,
        field: String,
        value: Option<Value>,
    ) -> Result<Change, PatchError> {
        let verb = if value.is_some() { "set" } else { "removed" };
        let (before, what) = match &node {
            Some(id) => {
                let at = self.position(id)?;
                let before = set_node_field(&mut self.nodes[at], &field, value)?;
                (before, format!("{verb} `{field}` of node `{id}`"))
            }
            None => (set_graph_field(self, &field, value)?, format!("{verb} `{field}` of the graph")),
        };
        let nodes = node.clone().into_iter().collect();
        let undo = match before {
            Some(value) => Patch::SetField { node, field, value },
            None => Patch::UnsetField { node, field },
        };
        Ok(Change { what, nodes, undo: vec![undo] })
    }

    fn move_to(&mut self, node: String, x: &Number, y: &Number) -> Result<Change, PatchError> {
        let at = self.position(&node)?;
        let mut metadata = self.nodes[at].metadata.clone();
        let what = format!("moved node `{node}` to {x}, {y}");
        metadata.insert("position".to_owned(), json!({"x": x, "y": y}));
        let change = self.set_field(Some(node), "metadata".to_owned(), Some(Value::Object(metadata)))?;
        Ok(Change { what, ..change })
    }

    fn rename(&mut self, from: String, to: String) -> Result<Change, PatchError> {
        let at = self.position(&from)?;
        if from != to {
            self.is_free(&to)?;
        }
        self.nodes[at].id.clone_from(&to);
        for end in self.links.iter_mut().flat_map(|link| [&mut link.from, &mut link.to]) {
            if *end == from {
                end.clone_from(&to);
            }
        }
        let what = format!("renamed node `{from}` to `{to}`");
        Ok(Change { what, nodes: vec![to.clone()], undo: vec![Patch::Rename { node: to, to: from }] })
    }
}

fn insert<T>(list: &mut Vec<T>, item: T, at: Option<usize>) -> Result<(), PatchError> {
    let at = at.unwrap_or(list.len());
    if at > list.len() {
        return Err(PatchError::Place { at, count: list.len() });
    }
    list.insert(at, item);
    Ok(())
}
