//! The difference of two Graphs, by the ids of nodes and links, and whether two edits touch the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::patch::LinkKey;
use super::{GraphContent, Link, Node};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct GraphDiff {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<Node>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Node>,
    /// Fields by node; a constant is the field `input.` and its pin.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub changed: BTreeMap<String, Vec<FieldChange>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connected: Vec<Link>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disconnected: Vec<Link>,
    /// Fields of the graph itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldChange>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct FieldChange {
    pub field: String,
    /// Absent if it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// Absent if it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

/// What led from one to the other. A link that changed is disconnected and connected; the order of nodes and links is no
/// difference.
pub fn diff(before: &GraphContent, after: &GraphContent) -> GraphDiff {
    let (old, new) = (before.positions(), after.positions());
    let mut found = GraphDiff { fields: graph_fields(before, after), ..GraphDiff::default() };
    for node in &after.nodes {
        match old.get(node.id.as_str()).map(|at| &before.nodes[*at]) {
            None => found.added.push(node.clone()),
            Some(known) if known != node => {
                found.changed.insert(node.id.clone(), changes(&flat(known), &flat(node)));
            }
            Some(_) => {}
        }
    }
    let is_gone = |node: &&Node| !new.contains_key(node.id.as_str());
    found.removed = before.nodes.iter().filter(is_gone).cloned().collect();
    found.connected = unknown(&after.links, &before.links);
    found.disconnected = unknown(&before.links, &after.links);
    found
}

fn unknown(links: &[Link], known: &[Link]) -> Vec<Link> {
    let known: HashMap<LinkKey, &Link> = known.iter().map(|link| (LinkKey::of(link), link)).collect();
    links.iter().filter(|link| known.get(&LinkKey::of(link)) != Some(link)).cloned().collect()
}

fn graph_fields(before: &GraphContent, after: &GraphContent) -> Vec<FieldChange> {
    let fields = |content: &GraphContent| {
        let mut fields: BTreeMap<String, Value> =
            content.other.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        fields.insert("description".to_owned(), content.description.clone().into());
        fields.extend(content.budget.map(|budget| ("budget".to_owned(), budget.into())));
        fields
    };
    changes(&fields(before), &fields(after))
}

fn flat(node: &Node) -> BTreeMap<String, Value> {
    let written = match serde_json::to_value(node) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    };
    let mut fields = BTreeMap::new();
    for (field, value) in written {
        match value {
            Value::Object(pins) if field == "input" => {
                fields.extend(pins.into_iter().map(|(pin, value)| (format!("input.{pin}"), value)));
            }
            value => {
                fields.insert(field, value);
            }
        }
    }
    fields
}

fn changes(before: &BTreeMap<String, Value>, after: &BTreeMap<String, Value>) -> Vec<FieldChange> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let change = |field: &String| {
        let (before, after) = (before.get(field).cloned(), after.get(field).cloned());
        (before != after).then(|| FieldChange { field: field.clone(), before, after })
    };
    names.into_iter().filter_map(change).collect()
}

impl GraphDiff {
    pub fn is_empty(&self) -> bool {
        *self == GraphDiff::default()
    }

    /// The nodes that it changes, adds, removes or links differently.
    pub fn touched(&self) -> BTreeSet<&str> {
        let nodes = self.added.iter().chain(&self.removed).map(|node| node.id.as_str());
        let links = self.connected.iter().chain(&self.disconnected);
        let ends = links.flat_map(|link| [link.from.as_str(), link.to.as_str()]);
        nodes.chain(self.changed.keys().map(String::as_str)).chain(ends).collect()
    }

    /// The nodes that this edit and another one of the same graph both touch: what their editors have to agree on.
    pub fn conflicts<'a>(&'a self, other: &'a GraphDiff) -> Vec<&'a str> {
        self.touched().intersection(&other.touched()).copied().collect()
    }
}
