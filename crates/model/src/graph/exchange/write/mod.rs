//! Writing a graph, with those it calls, as a file.

mod schema;
mod theirs;

use std::collections::HashSet;

use serde_json::Value;
use thiserror::Error;

pub(super) use self::theirs::{COMPUTED, Ways, link_json, node_json};
use super::origin::GraphOrigin;
use super::report::{ImportNote, What};
use super::{Format, NamedGraph, ours, secrets};
use crate::graph::node::Node;
use crate::graph::{Blocks, GraphContent};
use crate::name::EntryName;

/// What is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    pub file: Value,
    /// What the file cannot say, and secrets that were left out.
    pub notes: Vec<ImportNote>,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WriteError {
    #[error("a graph file of 2024 cannot hold `{0}`, which the graph calls; export it as an agent file")]
    Calls(EntryName),
}

/// Writes a graph with those that it calls, as far as `blocks` has them. Those of a file that nothing calls go with it too.
pub fn write(
    name: &EntryName,
    content: &GraphContent,
    blocks: &dyn Blocks,
    format: Format,
) -> Result<Exported, WriteError> {
    let mut graphs = closure(name, content, blocks);
    let mut notes = remove_secrets(&mut graphs);
    let file = match format {
        Format::Selfmade => ours::written(&graphs),
        Format::Agent => theirs::agent(&graphs, &mut notes),
        Format::Graph2024 => {
            if let Some(other) = graphs.get(1) {
                return Err(WriteError::Calls(other.name.clone()));
            }
            theirs::graph_2024(&graphs[0], &mut notes)
        }
    };
    Ok(Exported { file, notes })
}

/// The graph, those that were in its file, in their order, and then whatever else is called.
fn closure(name: &EntryName, content: &GraphContent, blocks: &dyn Blocks) -> Vec<NamedGraph> {
    let mut graphs = vec![NamedGraph { name: name.clone(), content: content.clone() }];
    let mut known: HashSet<String> = HashSet::from([name.to_string()]);
    let listed = GraphOrigin::get(content).and_then(|origin| origin.sub_graphs).unwrap_or_default();
    for name in listed {
        add(&mut graphs, &mut known, &name, blocks);
    }
    let mut done = 0;
    while done < graphs.len() {
        let called: Vec<String> = graphs[done]
            .content
            .nodes
            .iter()
            .filter_map(Node::calls)
            .map(|(name, _)| name.to_owned())
            .collect();
        for name in called {
            add(&mut graphs, &mut known, &name, blocks);
        }
        done += 1;
    }
    graphs
}

fn add(graphs: &mut Vec<NamedGraph>, known: &mut HashSet<String>, name: &str, blocks: &dyn Blocks) {
    let is_new = known.insert(name.to_owned());
    if let (true, Ok(name), Some(content)) = (is_new, EntryName::new(name), blocks.graph(name, None)) {
        graphs.push(NamedGraph { name, content: (*content).clone() });
    }
}

fn remove_secrets(graphs: &mut [NamedGraph]) -> Vec<ImportNote> {
    let mut notes = Vec::new();
    let mut passages = secrets::Passages::default();
    // A secret pin of one graph makes secrets of those that call it.
    loop {
        let before = passages.count();
        for graph in &mut *graphs {
            for found in secrets::remove_from_content(&mut graph.content, &mut passages) {
                let note =
                    ImportNote::new(What::Secret, graph.name.as_str(), "a secret was left out of the file");
                notes.push(note.at(&found.node).pin(&found.pin));
            }
        }
        if passages.count() == before {
            return notes;
        }
    }
}
