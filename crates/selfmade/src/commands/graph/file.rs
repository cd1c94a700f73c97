//! Files with JSON: graphs in our form, and patches.

use std::path::Path;

use model::graph::GraphContent;
use model::graph::patch::Patch;
use model::name::EntryName;
use serde_json::Value;

use super::name;
use crate::error::Error;
use crate::files::{self, STDIN};

/// The graph in a file.
pub(super) fn graph(file: &str) -> Result<GraphContent, Error> {
    let text = files::read_text(file)?;
    graph_of(file, &text)
}

/// Of the text of a file, which is named in messages.
pub(super) fn graph_of(file: &str, text: &str) -> Result<GraphContent, Error> {
    let refused = |problem: String| {
        Error::Input {
        problem: format!("`{file}` is not a graph: {problem}"),
        hint: "a graph is written as {\"nodes\": [{\"id\": …, \"block\": …}], \"links\": […]}; `selfmade graph show NAME --json` prints one"
            .to_owned(),
    }
    };
    let value = json(file, text)?;
    if let Some(problem) = foreign(&value) {
        return Err(refused(problem));
    }
    serde_json::from_value(value).map_err(|error| refused(error.to_string()))
}

/// Why it is not in our form, said of the first place that shows it.
fn foreign(value: &Value) -> Option<String> {
    let Some(nodes) = value.get("nodes") else {
        return Some("it has no `nodes`".to_owned());
    };
    let Some(nodes) = nodes.as_array() else {
        return Some("its `nodes` are not a list".to_owned());
    };
    let (at, node) = nodes.iter().enumerate().find(|(_, node)| !node["block"].is_string())?;
    let other = ["block_id", "type"].into_iter().find(|field| node.get(field).is_some());
    let other =
        other.map(|field| format!(", but a `{field}` as files of other products have")).unwrap_or_default();
    Some(format!("node {} has no `block`{other}", at + 1))
}

/// A list of patches.
pub(super) fn patches(file: &str) -> Result<Vec<Patch>, Error> {
    let value = json(file, &files::read_text(file)?)?;
    serde_json::from_value(value).map_err(|error| Error::Input {
        problem: format!("`{file}` is not a list of patches: {error}"),
        hint: "write for example [{\"op\": \"set\", \"node\": \"a\", \"pin\": \"n\", \"value\": 1}]"
            .to_owned(),
    })
}

fn json(file: &str, text: &str) -> Result<Value, Error> {
    serde_json::from_str(text).map_err(|error| Error::Input {
        problem: format!("`{file}` is not valid JSON: {error}"),
        hint: "correct it there, and try again".to_owned(),
    })
}

/// What is no name of an entry.
pub(super) fn is_file(text: &str) -> bool {
    text == STDIN || text.contains('/') || Path::new(text).extension().is_some_and(|ending| ending == "json")
}

/// The file without folder and ending.
pub(super) fn name_of(file: &str) -> Result<EntryName, Error> {
    if file == STDIN {
        return Err(Error::Input {
            problem: "standard input has no name".to_owned(),
            hint: "name the graph with `--name`".to_owned(),
        });
    }
    let stem = Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    name(&stem.unwrap_or_default())
}
