//! What AutoGPT says of a graph as a whole and our graphs do not.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::is_added;
use super::origin::GraphOrigin;
use crate::graph::GraphContent;
use crate::graph::aliases::alias;
use crate::graph::builtin::Builtin;

const TEMPLATE: &str = "is_template";

/// The title, which is any text; a graph that is from no file has none.
pub fn title(content: &GraphContent) -> Option<String> {
    let origin = GraphOrigin::get(content)?;
    origin.fields.get("name")?.as_str().filter(|title| !title.is_empty()).map(str::to_owned)
}

/// Whether it is there to be copied and not to be run.
pub fn is_template(content: &GraphContent) -> bool {
    GraphOrigin::get(content).is_some_and(|origin| origin.fields.get(TEMPLATE) == Some(&Value::Bool(true)))
}

/// Says whether it is. Of a graph that is from no file it is not asked.
pub fn set_template(content: &mut GraphContent, is_template: bool) {
    let Some(mut origin) = GraphOrigin::get(content) else { return };
    if is_template || origin.fields.contains_key(TEMPLATE) {
        origin.fields.insert(TEMPLATE.to_owned(), json!(is_template));
        origin.set(content);
    }
}

/// The first link of a file of 2024 that joins nodes of different groups (`subgraphs`). Only an input or output block may be at one
/// of its ends.
pub fn crossing_link(file: &Value) -> Option<String> {
    let mut groups: HashMap<&str, &str> = HashMap::new();
    for (group, nodes) in file["subgraphs"].as_object()? {
        for node in nodes.as_array().into_iter().flatten().filter_map(Value::as_str) {
            groups.insert(node, group);
        }
    }
    let nodes = file["nodes"].as_array().into_iter().flatten();
    let borders = nodes.filter(|node| {
        let block = node["block_id"].as_str().and_then(alias).map(|alias| alias.block);
        matches!(block, Some("@input" | "@output"))
    });
    let borders: Vec<&str> = borders.filter_map(|node| node["id"].as_str()).collect();
    let links = file["links"].as_array().into_iter().flatten();
    let mut ends = links.filter_map(|link| Some((link["source_id"].as_str()?, link["sink_id"].as_str()?)));
    let is_crossing = |(from, to): &(&str, &str)| {
        groups.get(from) != groups.get(to) && !borders.contains(from) && !borders.contains(to)
    };
    ends.find(is_crossing).map(|(from, to)| {
        format!("the link from node `{from}` to node `{to}` leads to a different subgraph; only input and output blocks are linked across")
    })
}

/// The nodes of the file that a run begins with, in order.
pub fn starting_nodes(content: &GraphContent) -> Vec<&str> {
    let linked: HashSet<&str> = content.links.iter().map(|link| link.to.as_str()).collect();
    let starts = content.nodes.iter().filter(|node| {
        let is_inert = node.builtin().is_some_and(Builtin::is_inert);
        let is_first = node.builtin() == Some(Builtin::Input) || !linked.contains(node.id.as_str());
        is_first && !is_inert && !is_added(node)
    });
    starts.map(|node| node.id.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_borders_are_linked_across_groups() {
        let file = |from: &str, to: &str| {
            json!({
                "nodes": [
                    {"id": "1", "block_id": "1ff065e9-88e8-4358-9d82-8dc91f622ba9"},
                    {"id": "2", "block_id": "c0a8e994-ebf1-4a9c-a4d8-89d09c86741b"},
                    {"id": "3", "block_id": "1ff065e9-88e8-4358-9d82-8dc91f622ba9"},
                ],
                "links": [{"source_id": from, "sink_id": to}],
                "subgraphs": {"s": ["2", "3"]},
            })
        };
        let crossing = crossing_link(&file("1", "3")).unwrap();
        assert!(crossing.contains("node `1` to node `3` leads to a different subgraph"), "{crossing}");
        assert_eq!(crossing_link(&file("1", "2")), None);
        assert_eq!(crossing_link(&file("2", "3")), None);
        assert_eq!(crossing_link(&json!({"nodes": [], "links": [{"source_id": "1", "sink_id": "3"}]})), None);
    }
}
