//! Our own JSON: a set of graphs by name, or the content of one. It is taken as it is.

use serde_json::{Map, Value, json};

use super::report::ImportReport;
use super::{Format, Imported, NamedGraph, ReadError};
use crate::graph::GraphContent;
use crate::name::EntryName;

/// Which key says that a file is a set of graphs, and the version of its form.
const MARK: &str = "selfmade_graphs";
const VERSION: u64 = 1;

pub(super) fn is_set(file: &Map<String, Value>) -> bool {
    file.contains_key(MARK)
}

pub(super) fn read_set(mut file: Map<String, Value>) -> Result<Imported, ReadError> {
    if file.get(MARK).and_then(Value::as_u64) != Some(VERSION) {
        let wanted = "1; a later version of selfmade wrote this file";
        return Err(ReadError::Field { place: MARK.to_owned(), wanted });
    }
    let Some(Value::Object(graphs)) = file.shift_remove("graphs") else {
        return Err(ReadError::Field { place: "graphs".to_owned(), wanted: "an object" });
    };
    let graphs: Vec<NamedGraph> =
        graphs.into_iter().map(|(name, content)| named(&name, content)).collect::<Result<_, _>>()?;
    if graphs.is_empty() {
        return Err(ReadError::NotAGraph("`graphs` is empty".to_owned()));
    }
    Ok(imported(graphs, true))
}

/// The content of one graph does not say its name.
pub(super) fn read_one(file: Map<String, Value>) -> Result<Imported, ReadError> {
    named("graph", Value::Object(file)).map(|graph| imported(vec![graph], false))
}

fn named(name: &str, content: Value) -> Result<NamedGraph, ReadError> {
    let content: GraphContent =
        serde_json::from_value(content).map_err(|error| ReadError::NotAGraph(error.to_string()))?;
    let name = EntryName::new(name).map_err(|error| ReadError::Name(name.to_owned(), error.to_string()))?;
    Ok(NamedGraph { name, content })
}

fn imported(graphs: Vec<NamedGraph>, is_named: bool) -> Imported {
    Imported { format: Format::Selfmade, graphs, report: ImportReport::default(), is_named }
}

/// The main graph first.
pub(super) fn written(graphs: &[NamedGraph]) -> Value {
    let graphs =
        graphs.iter().map(|graph| Ok((graph.name.to_string(), serde_json::to_value(&graph.content)?)));
    let graphs: Result<Map<String, Value>, serde_json::Error> = graphs.collect();
    // Contents are JSON objects with text keys.
    json!({MARK: VERSION, "graphs": graphs.unwrap_or_default()})
}
