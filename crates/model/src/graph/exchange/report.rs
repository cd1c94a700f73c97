//! What a person has to know of an import.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::phrase::cut;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ImportReport {
    /// In the order of the graphs.
    pub notes: Vec<ImportNote>,
    /// The blocks that are not available, each once.
    pub missing: Vec<MissingBlock>,
    /// The services that blocks of the file use, each with its nodes: their credentials are not in the file.
    pub services: BTreeMap<String, Vec<String>>,
}

/// Something that is not as in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ImportNote {
    pub what: What,
    /// The name of the graph.
    pub graph: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// As the file calls it, if it is a pin of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<String>,
    /// What was done and what to do, without the node.
    pub message: String,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A block that is not available; a placeholder stands for it.
    MissingBlock,
    /// An agent that the file names but does not have.
    MissingGraph,
    /// An agent that was found by something else than its id.
    GuessedGraph,
    /// A secret or credential that was left out.
    Secret,
    /// A constant that was converted or left out.
    Constant,
    /// A link that leads to a placeholder, because there is no such pin or node.
    Link,
    /// A required pin without a value: the node waits.
    MissingInput,
    /// A value that is converted on its way.
    Converted,
    /// An id or a name that was there twice, is empty or too long.
    Renamed,
    /// A text that is read in another way than it is written.
    Template,
    /// What was added so that the graph can be stored.
    Added,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct MissingBlock {
    pub block_id: String,
    /// What AutoGPT calls it, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The Function that would stand for it, if there is one to load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The nodes, as graph and id.
    pub nodes: Vec<(String, String)>,
}

impl ImportReport {
    /// A graph has another name now.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        let notes = self.notes.iter_mut().map(|note| &mut note.graph);
        let nodes = self.missing.iter_mut().flat_map(|missing| &mut missing.nodes).map(|(graph, _)| graph);
        notes.chain(nodes).filter(|graph| *graph == from).for_each(|graph| to.clone_into(graph));
    }

    pub(super) fn missing(&mut self, block: &MissingBlock, graph: &str, node: &str) {
        let place = (graph.to_owned(), node.to_owned());
        match self.missing.iter_mut().find(|known| known.block_id == block.block_id) {
            Some(known) if known.nodes.contains(&place) => {}
            Some(known) => known.nodes.push(place),
            None => self.missing.push(MissingBlock { nodes: vec![place], ..block.clone() }),
        }
    }
}

impl ImportNote {
    pub(super) fn new(what: What, graph: &str, message: impl Into<String>) -> ImportNote {
        ImportNote { what, graph: graph.to_owned(), node: None, pin: None, message: message.into() }
    }

    pub(super) fn at(self, node: &str) -> ImportNote {
        ImportNote { node: Some(node.to_owned()), ..self }
    }

    pub(super) fn pin(self, pin: &str) -> ImportNote {
        ImportNote { pin: Some(pin.to_owned()), ..self }
    }
}

impl fmt::Display for ImportNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "graph `{}`", self.graph)?;
        for (kind, text) in [("node", &self.node), ("pin", &self.pin)] {
            if let Some(text) = text {
                write!(f, ", {kind} `{}`", cut(text, 60))?;
            }
        }
        write!(f, ": {}", self.message)
    }
}
