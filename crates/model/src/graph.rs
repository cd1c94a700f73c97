//! Graphs: nodes joined by links, pin to pin. For now a versioned document whose shape is checked; what it means
//! when it runs is not decided here.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct GraphContent {
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub nodes: Vec<Node>,
    #[serde(default)]
    pub links: Vec<Link>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Node {
    pub id: String,
    /// The name of a Function, or of a Block that is built in.
    pub block: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub input: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Link {
    pub from: String,
    pub from_pin: String,
    pub to: String,
    pub to_pin: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not", rename = "static")]
    pub is_static: bool,
}

impl GraphContent {
    /// What is wrong with the shape: nodes of one id, links to nowhere.
    pub fn flaws(&self) -> Vec<String> {
        let mut flaws = Vec::new();
        let mut ids = std::collections::BTreeSet::new();
        for node in &self.nodes {
            if !ids.insert(node.id.as_str()) {
                flaws.push(format!("two nodes have the id `{}`; give each its own", node.id));
            }
        }
        for link in &self.links {
            for end in [&link.from, &link.to] {
                if !ids.contains(end.as_str()) {
                    flaws.push(format!("a link names the node `{end}`, which the graph does not have"));
                }
            }
        }
        flaws
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_link_to_nowhere_and_a_repeated_id_are_flaws() {
        let graph: GraphContent = serde_json::from_value(json!({
            "nodes": [{"id": "a", "block": "add"}, {"id": "a", "block": "add"}],
            "links": [{"from": "a", "from_pin": "output", "to": "b", "to_pin": "x"}]
        }))
        .unwrap();
        assert_eq!(
            graph.flaws(),
            [
                "two nodes have the id `a`; give each its own",
                "a link names the node `b`, which the graph does not have"
            ]
        );
    }
}
