//! A graph as the server of 2024 shows it.

use model::graph::GraphContent;
use model::graph::exchange::{graph_2024, is_template, title};
use model::version::Version;
use serde_json::{Map, Value, json};

/// With its nodes and links.
pub(super) fn graph(version: &Version, content: &GraphContent, is_live: bool) -> Value {
    let mut shown = meta(version, content, is_live);
    let file = graph_2024(&version.head.key.name, content);
    for (key, value) in file.as_object().into_iter().flatten() {
        shown.entry(key.clone()).or_insert_with(|| value.clone());
    }
    shown.entry("subgraphs").or_insert_with(|| json!({}));
    Value::Object(shown)
}

/// What lists show of it.
pub(super) fn meta(version: &Version, content: &GraphContent, is_live: bool) -> Map<String, Value> {
    let is_template = is_template(content);
    let name = title(content).unwrap_or_else(|| version.head.key.name.to_string());
    let fields = [
        ("id", json!(version.head.entry_id)),
        ("version", json!(version.head.number)),
        ("is_active", json!(is_live && !is_template)),
        ("is_template", json!(is_template)),
        ("name", json!(name)),
        ("description", json!(content.description)),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
