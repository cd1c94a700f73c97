//! Setting a field by its name, known or not.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::PatchError;
use crate::graph::{GraphContent, Node};

/// Sets or removes the field and returns what it was.
pub(super) fn set_node_field(
    node: &mut Node,
    field: &str,
    value: Option<Value>,
) -> Result<Option<Value>, PatchError> {
    let own = [("id", "rename the node"), ("input", "set or unset its pins")];
    refuse(field, &own)?;
    set(node, field, value)
}

pub(super) fn set_graph_field(
    content: &mut GraphContent,
    field: &str,
    value: Option<Value>,
) -> Result<Option<Value>, PatchError> {
    let own = [
        ("nodes", "add and remove nodes"),
        ("links", "connect and disconnect pins"),
        ("kind", "give the field another name"),
    ];
    refuse(field, &own)?;
    // Nodes and links are many, and not what is set.
    let (nodes, links) = (std::mem::take(&mut content.nodes), std::mem::take(&mut content.links));
    let before = set(content, field, value);
    (content.nodes, content.links) = (nodes, links);
    before
}

fn refuse(field: &str, own: &[(&str, &str)]) -> Result<(), PatchError> {
    match own.iter().find(|(name, _)| *name == field) {
        Some((_, advice)) => Err(PatchError::Field { field: field.to_owned(), advice: (*advice).to_owned() }),
        None => Ok(()),
    }
}

fn set<T: Serialize + DeserializeOwned>(
    target: &mut T,
    field: &str,
    value: Option<Value>,
) -> Result<Option<Value>, PatchError> {
    let refused = |advice: String| PatchError::Field { field: field.to_owned(), advice };
    let mut written: Map<String, Value> = match serde_json::to_value(&*target) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    };
    let before = match value {
        Some(value) => written.insert(field.to_owned(), value),
        None => written.remove(field),
    };
    *target = serde_json::from_value(Value::Object(written)).map_err(|error| refused(error.to_string()))?;
    Ok(before)
}
