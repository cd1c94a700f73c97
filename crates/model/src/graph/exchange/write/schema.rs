//! The schemas of a graph that AutoGPT computes from its input and output nodes.

use serde_json::{Map, Value, json};

use crate::graph::aliases::alias;

pub(super) fn input_schema(nodes: &[Value]) -> Value {
    schema(nodes, "@input")
}

pub(super) fn output_schema(nodes: &[Value]) -> Value {
    schema(nodes, "@output")
}

fn schema(nodes: &[Value], block: &str) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for node in nodes {
        let Some(found) = node["block_id"].as_str().and_then(alias).filter(|alias| alias.block == block)
        else {
            continue;
        };
        let Some((name, input)) =
            node["input_default"]["name"].as_str().zip(node["input_default"].as_object())
        else {
            continue;
        };
        if input.get("value").is_none_or(Value::is_null) && block == "@input" {
            required.push(name);
        }
        properties.insert(name.to_owned(), property(name, input, found.class));
    }
    json!({"type": "object", "properties": properties, "required": required})
}

fn property(name: &str, input: &Map<String, Value>, class: &str) -> Value {
    let get = |key: &str| input.get(key).filter(|value| !value.is_null()).cloned();
    let mut property = Map::new();
    property.insert("title".to_owned(), get("title").unwrap_or_else(|| json!(name)));
    property.insert("advanced".to_owned(), get("advanced").unwrap_or(json!(false)));
    let options =
        get("options").or_else(|| get("placeholder_values")).filter(|options| *options != json!([]));
    let format = match class {
        "AgentShortTextInputBlock" => Some(json!("short-text")),
        "AgentLongTextInputBlock" => Some(json!("long-text")),
        _ => None,
    };
    let more = [
        ("description", get("description")),
        ("default", get("value")),
        ("enum", options),
        ("format", format),
    ];
    property.extend(more.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
    Value::Object(property)
}
