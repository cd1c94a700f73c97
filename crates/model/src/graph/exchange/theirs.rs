//! AutoGPT's graphs as their files write them. Each part keeps the whole object it was read from.

use serde_json::{Map, Value};

use super::secrets::{self, Found};
use super::{Format, ReadError};

#[derive(Debug)]
pub(super) struct TheirFile {
    pub(super) format: Format,
    /// The main graph first.
    pub(super) graphs: Vec<TheirGraph>,
    /// What was left out because it is secret, by the place of its graph.
    pub(super) secrets: Vec<(usize, Found)>,
    /// Whether it has a list of sub-graphs, even if that is empty.
    pub(super) lists_subs: bool,
}

#[derive(Debug)]
pub(super) struct TheirGraph {
    /// All but its nodes, links and sub-graphs.
    pub(super) fields: Map<String, Value>,
    pub(super) nodes: Vec<TheirNode>,
    pub(super) links: Vec<TheirLink>,
}

#[derive(Debug)]
pub(super) struct TheirNode {
    pub(super) id: String,
    pub(super) block_id: String,
    pub(super) input: Map<String, Value>,
    pub(super) metadata: Map<String, Value>,
    pub(super) json: Map<String, Value>,
}

#[derive(Debug)]
pub(super) struct TheirLink {
    pub(super) id: Option<String>,
    pub(super) source: String,
    pub(super) source_pin: String,
    pub(super) sink: String,
    pub(super) sink_pin: String,
    pub(super) is_static: bool,
    pub(super) json: Map<String, Value>,
}

impl TheirFile {
    pub(super) fn read(file: Map<String, Value>, format: Format) -> Result<TheirFile, ReadError> {
        let mut file = Value::Object(file);
        let secrets = secrets::remove(&mut file);
        let Value::Object(mut main) = file else { unreachable!("it stays an object") };
        // What its own children are called is of no use here: the list is flat.
        let subs = main.shift_remove("sub_graphs");
        let lists_subs = subs.is_some();
        let mut graphs = vec![TheirGraph::read(main, "")?];
        for (at, sub) in array(subs.unwrap_or_default(), "sub_graphs")?.into_iter().enumerate() {
            let place = format!("sub_graphs[{at}]");
            graphs.push(TheirGraph::read(object(sub, &place)?, &format!("{place}."))?);
        }
        Ok(TheirFile { format, graphs, secrets, lists_subs })
    }
}

impl TheirGraph {
    fn read(mut fields: Map<String, Value>, place: &str) -> Result<TheirGraph, ReadError> {
        let mut parts = |key: &str| {
            let place = format!("{place}{key}");
            let items = array(fields.shift_remove(key).unwrap_or_default(), &place)?;
            let objects = items.into_iter().enumerate().map(|(at, item)| {
                let place = format!("{place}[{at}]");
                Ok((object(item, &place)?, place))
            });
            objects.collect::<Result<Vec<_>, ReadError>>()
        };
        let nodes = parts("nodes")?.into_iter().map(|(json, place)| TheirNode::read(json, &place));
        let nodes = nodes.collect::<Result<_, _>>()?;
        let links = parts("links")?.into_iter().map(|(json, place)| TheirLink::read(json, &place));
        let links = links.collect::<Result<_, _>>()?;
        fields.shift_remove("sub_graphs");
        Ok(TheirGraph { fields, nodes, links })
    }

    pub(super) fn text(&self, key: &str) -> &str {
        self.fields.get(key).and_then(Value::as_str).unwrap_or_default()
    }
}

impl TheirNode {
    fn read(json: Map<String, Value>, place: &str) -> Result<TheirNode, ReadError> {
        let part = |key: &str| match json.get(key) {
            None | Some(Value::Null) => Ok(Map::new()),
            Some(value) => object(value.clone(), &format!("{place}.{key}")),
        };
        let id = match json.get("id") {
            None | Some(Value::Null) => String::new(),
            _ => text(&json, "id", place)?,
        };
        Ok(TheirNode {
            id,
            block_id: text(&json, "block_id", place)?,
            input: part("input_default")?,
            metadata: part("metadata")?,
            json,
        })
    }
}

impl TheirLink {
    fn read(json: Map<String, Value>, place: &str) -> Result<TheirLink, ReadError> {
        Ok(TheirLink {
            id: json.get("id").and_then(Value::as_str).map(str::to_owned),
            source: text(&json, "source_id", place)?,
            source_pin: text(&json, "source_name", place)?,
            sink: text(&json, "sink_id", place)?,
            sink_pin: text(&json, "sink_name", place)?,
            is_static: json.get("is_static") == Some(&Value::Bool(true)),
            json,
        })
    }
}

fn text(json: &Map<String, Value>, key: &str, place: &str) -> Result<String, ReadError> {
    let found = json.get(key).and_then(Value::as_str).map(str::to_owned);
    found.ok_or_else(|| ReadError::Field { place: format!("{place}.{key}"), wanted: "a text" })
}

fn object(value: Value, place: &str) -> Result<Map<String, Value>, ReadError> {
    match value {
        Value::Object(map) => Ok(map),
        _ => Err(ReadError::Field { place: place.to_owned(), wanted: "an object" }),
    }
}

fn array(value: Value, place: &str) -> Result<Vec<Value>, ReadError> {
    match value {
        Value::Array(items) => Ok(items),
        Value::Null => Ok(Vec::new()),
        _ => Err(ReadError::Field { place: place.to_owned(), wanted: "a list" }),
    }
}
