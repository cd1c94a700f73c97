//! What a Version of a Graph holds.
//!
//! Loading and saving keeps everything: fields that are not known here stay where they were, in the graph, in a node and
//! in a link, and the order of nodes and links is kept. Only a known field that is written out although it has its
//! default is written the usual way.

use std::collections::HashMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{Link, Node};

/// Enough for what a program generates; people draw a few hundred.
pub const MAX_NODES: usize = 20_000;
/// Five for each node.
pub const MAX_LINKS: usize = 100_000;
/// The bytes of a node id, a link id or a block's name.
pub const MAX_ID_BYTES: usize = 200;
/// The bytes of a pin with its path.
pub const MAX_PIN_BYTES: usize = 500;
/// The bytes of one node as JSON, most of which are constants. Larger values belong into the input of a run.
pub const MAX_NODE_BYTES: u64 = 1 << 20;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct GraphContent {
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub nodes: Vec<Node>,
    #[serde(default)]
    pub links: Vec<Link>,
    /// How many node executions a run may have. A graph with a cycle must state it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// Fields that are only kept.
    #[serde(flatten, deserialize_with = "without_kind")]
    pub other: Map<String, Value>,
}

impl GraphContent {
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// Nodes by their ids. Of several with one id it is the first.
    pub fn positions(&self) -> HashMap<&str, usize> {
        let mut positions = HashMap::with_capacity(self.nodes.len());
        for (at, node) in self.nodes.iter().enumerate() {
            positions.entry(node.id.as_str()).or_insert(at);
        }
        positions
    }
}

/// `kind` tells contents apart where they are stored, so a graph cannot have a field of that name.
fn without_kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    let mut other = Map::deserialize(deserializer)?;
    match other.remove("kind") {
        None => Ok(other),
        Some(kind) if kind == "graph" => Ok(other),
        Some(_) => Err(D::Error::custom("a graph cannot have a field `kind`; give the field another name")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::content::Content;

    #[test]
    fn what_is_not_known_is_kept() {
        let written = json!({
            "description": "",
            "nodes": [{
                "id": "a", "block": "add", "version": 3, "input": {"x": null}, "metadata": {"position": {"x": 1.0, "y": 2}},
                "timeout": 5, "colour": ["red", null]
            }],
            "links": [{"from": "a", "from_pin": "output", "to": "a", "to_pin": "x", "static": true, "bend": 0.0}],
            "budget": 7,
            "instructions": {"text": "…"}
        });
        let graph: GraphContent = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(serde_json::to_value(&graph).unwrap(), written);
        let content: Content =
            serde_json::from_value(serde_json::to_value(Content::Graph(graph)).unwrap()).unwrap();
        let mut tagged = written;
        tagged["kind"] = json!("graph");
        assert_eq!(serde_json::to_value(content).unwrap(), tagged);
    }

    #[test]
    fn a_field_that_would_change_the_kind_of_the_content_is_refused() {
        let error = serde_json::from_value::<GraphContent>(json!({"kind": "trigger"})).unwrap_err();
        insta::assert_snapshot!(error, @"a graph cannot have a field `kind`; give the field another name");
        assert!(serde_json::from_value::<GraphContent>(json!({"kind": "graph"})).is_ok());
    }
}
