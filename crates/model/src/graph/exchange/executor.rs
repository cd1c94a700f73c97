//! Which graph a node calls. The `graph_id` in exports is seldom that of a graph in the file.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::theirs::TheirGraph;
use crate::graph::aliases::alias;
use crate::name::EntryName;

/// A graph of the file, as one that can be called.
#[derive(Debug)]
pub(super) struct Callee {
    pub(super) name: EntryName,
    id: Value,
    version: Value,
    title: String,
    inputs: BTreeSet<String>,
    outputs: BTreeSet<String>,
    is_main: bool,
}

impl Callee {
    pub(super) fn of(at: usize, graph: &TheirGraph, name: &EntryName) -> Callee {
        let field = |key: &str| graph.fields.get(key).cloned().unwrap_or_default();
        let border = |block: &str| {
            let nodes = graph
                .nodes
                .iter()
                .filter(|node| alias(&node.block_id).is_some_and(|alias| alias.block == block));
            nodes.filter_map(|node| node.input.get("name")?.as_str().map(str::to_owned)).collect()
        };
        Callee {
            name: name.clone(),
            id: field("id"),
            version: field("version"),
            title: graph.text("name").to_owned(),
            inputs: border("@input"),
            outputs: border("@output"),
            is_main: at == 0,
        }
    }

    /// How well it fits what the node says of its graph. The id counts most, then the version; two graphs may have the same pins.
    fn fit(&self, called: &Map<String, Value>) -> Fit {
        let is = |key: &str, value: &Value| {
            called.get(key).is_some_and(|given| !given.is_null() && given == value)
        };
        let names = |key: &str, pins: &BTreeSet<String>| match properties(called, key) {
            Some(given) => given == *pins,
            None => false,
        };
        Fit {
            id: is("graph_id", &self.id),
            pins: names("input_schema", &self.inputs) && names("output_schema", &self.outputs),
            version: is("graph_version", &self.version),
            title: called.get("agent_name").is_some_and(|name| name == &self.title),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    id: bool,
    version: bool,
    pins: bool,
    title: bool,
}

impl Fit {
    /// Versions are small numbers, so one alone says little; but in a file with one graph of it, it was always right.
    fn is_enough(self) -> bool {
        self.id || self.pins || self.version || self.title
    }
}

fn properties(called: &Map<String, Value>, key: &str) -> Option<BTreeSet<String>> {
    let properties = called.get(key)?.get("properties")?.as_object()?;
    Some(properties.keys().cloned().collect())
}

/// The graph, and whether it was guessed; or why there is none.
pub(super) fn callee<'a>(
    callees: &'a [Callee],
    called: &Map<String, Value>,
) -> Result<(&'a EntryName, Option<String>), String> {
    // What is called is another graph, unless the file says that it calls itself.
    let fits = callees.iter().map(|callee| (callee.fit(called), callee));
    let mut fits: Vec<_> =
        fits.filter(|(fit, callee)| fit.is_enough() && (fit.id || !callee.is_main)).collect();
    fits.sort_by_key(|(fit, _)| std::cmp::Reverse(*fit));
    match fits.as_slice() {
        [] => Err("the agent it calls is not in the file; import that one too and place it here".to_owned()),
        [(first, _), (second, _), ..] if first == second => {
            Err("several agents of the file fit what it calls; place the right one here".to_owned())
        }
        [(fit, found), ..] if fit.id => Ok((&found.name, None)),
        [(fit, found), ..] => {
            let by = match (fit.pins, fit.version) {
                (true, true) => "its pins and version",
                (true, false) => "its pins",
                (false, true) => "its version",
                (false, false) => "its name",
            };
            Ok((
                &found.name,
                Some(format!(
                    "the id of the agent it calls is not in the file; `{}` was found by {by}",
                    found.title
                )),
            ))
        }
    }
}
