//! Reading a file: telling its kind by its shape.

use serde_json::{Map, Value};
use thiserror::Error;

use super::{Format, Imported, import, ours, theirs};
use crate::graph::Blocks;
use crate::graph::check::Problem;
use crate::phrase::{cut, list};

/// The largest exports known have two megabytes.
pub const MAX_FILE_BYTES: usize = 64 << 20;

#[derive(Clone, Debug, PartialEq, Error)]
pub enum ReadError {
    #[error("the file has {0} bytes, more than the {MAX_FILE_BYTES} that are read; split it")]
    TooLarge(usize),
    #[error("the file is not JSON: {0}")]
    NotJson(String),
    #[error(
        "this is not a graph: {0}; a graph file is an object with `nodes` and `links`, as selfmade and AutoGPT export it"
    )]
    NotAGraph(String),
    #[error("`{place}` must be {wanted}")]
    Field { place: String, wanted: &'static str },
    #[error("`{0}` cannot be the name of a graph: {1}")]
    Name(String, String),
    #[error("the graph cannot be stored: {}", joined(.0))]
    Refused(Vec<Problem>),
}

/// Reads a graph file of any kind. What `blocks` does not have is replaced by placeholders, except in files of ours.
pub fn read(bytes: &[u8], blocks: &dyn Blocks) -> Result<Imported, ReadError> {
    if bytes.len() > MAX_FILE_BYTES {
        return Err(ReadError::TooLarge(bytes.len()));
    }
    // Editors of Windows begin files with a byte order mark.
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: Value = serde_json::from_slice(text).map_err(|error| ReadError::NotJson(error.to_string()))?;
    let Value::Object(mut file) = value else {
        return Err(ReadError::NotAGraph("it is not an object".to_owned()));
    };
    if ours::is_set(&file) {
        return ours::read_set(file);
    }
    // What `POST /graphs` takes.
    if let (None, Some(Value::Object(graph))) = (file.get("nodes"), file.get("graph")) {
        file = graph.clone();
    }
    match format(&file)? {
        Format::Selfmade => ours::read_one(file),
        format => import::import(theirs::TheirFile::read(file, format)?, blocks),
    }
}

fn format(file: &Map<String, Value>) -> Result<Format, ReadError> {
    let Some(nodes) = file.get("nodes").and_then(Value::as_array) else {
        let keys: Vec<String> = file.keys().take(5).map(|key| format!("`{}`", cut(key, 30))).collect();
        let found =
            if keys.is_empty() { "it is empty".into() } else { format!("it has {}", list(&keys, "and")) };
        return Err(ReadError::NotAGraph(found));
    };
    let any = |key: &str| nodes.iter().any(|node| node.get(key).is_some());
    let has = |keys: &[&str]| keys.iter().any(|key| file.contains_key(*key));
    if any("block_id") {
        let is_old = has(OLD) || !has(TODAY);
        return Ok(if is_old { Format::Graph2024 } else { Format::Agent });
    }
    match nodes.first() {
        Some(_) if any("block") => Ok(Format::Selfmade),
        Some(_) => Err(ReadError::NotAGraph("its nodes have neither `block` nor `block_id`".to_owned())),
        None if has(OLD) => Ok(Format::Graph2024),
        None if has(TODAY) => Ok(Format::Agent),
        None => Ok(Format::Selfmade),
    }
}

/// What only files of 2024 have.
pub(super) const OLD: &[&str] = &["is_template", "subgraphs"];

/// What only files of today have, one of them at least.
pub(super) const TODAY: &[&str] = &[
    "sub_graphs",
    "created_at",
    "forked_from_id",
    "forked_from_version",
    "instructions",
    "recommended_schedule_cron",
    "input_schema",
    "output_schema",
    "credentials_input_schema",
    "has_external_trigger",
    "trigger_setup_info",
    "user_id",
];

fn joined(problems: &[Problem]) -> String {
    const SHOWN: usize = 3;
    let mut texts: Vec<String> = problems.iter().take(SHOWN).map(ToString::to_string).collect();
    if problems.len() > SHOWN {
        texts.push(format!("{} more", problems.len() - SHOWN));
    }
    texts.join("; ")
}
