//! Import and export of graph files: ours, AutoGPT's graph and template files of 2024, and the agent files it exports today.
//!
//! | to | use |
//! |---|---|
//! | read a file of any kind | [`read`]: the graphs in it, the main one first, and an [`ImportReport`] |
//! | give a graph of the file another name | [`Imported::rename`], before it is stored |
//! | say which block is missing where a placeholder is | [`original_block`] |
//! | write a graph with those it calls | [`write()`] |
//! | show a run with the names that pins have in the file | [`FilePins`] |
//! | know its title, and whether it is a template | [`title`], [`is_template`] |
//! | place or run a block of AutoGPT by its id | [`TheirBlock`] |
//!
//! Both are pure. What is there, [`Blocks`](super::Blocks) says: what a file needs and a brain lacks becomes a placeholder.
//!
//! # A file is imported whole
//! What is read passes [`check()`](super::check()), so it can be stored and run. Everything that could not be taken over
//! as it is written is a note of the report, with its node and pin:
//! * A block that is not available becomes an `@placeholder` with its id, constants and links.
//! * A link to or from a pin that a block does not have leads to a placeholder next to it, so that nothing starts early.
//! * Values that AutoGPT converts silently pass through a node that converts them where types cannot fit.
//! * A constant that does not fit or that no pin takes is left out.
//!
//! # Exporting what was imported gives the same file
//! What our graphs cannot say is kept beside what they say, under the key `autogpt` of a graph, a node or a link
//! (`origin`), and is used again as far as the graph was not edited there. Exceptions:
//! * Secrets, credentials, ids of webhooks and of users are neither imported nor exported (`secrets`).
//! * `input_schema` and `output_schema` of a graph are computed from its input and output nodes.
//! * `input_links` and `output_links` of a node repeat the links and are left out.

mod braces;
mod constants;
mod executor;
mod fit;
mod formats;
mod import;
mod indices;
mod kept;
mod marks;
mod names;
mod origin;
mod ours;
mod pins;
mod read;
mod report;
mod secrets;
mod shown;
mod single;
mod theirs;
mod tools;
mod write;

pub use self::marks::{crossing_link, is_template, set_template, starting_nodes, title};
pub use self::pins::OURS;
pub use self::read::{MAX_FILE_BYTES, ReadError, read};
pub use self::report::{ImportNote, ImportReport, MissingBlock, What};
pub use self::shown::{FilePins, graph_2024, is_added};
pub use self::single::{TheirBlock, schemas};
pub use self::write::{Exported, WriteError, write};

use serde::{Deserialize, Serialize};

use super::{GraphContent, Node};
use crate::name::{EntryName, NameError};

/// The kinds of files. They are told apart by their shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Our own JSON: graphs by their names.
    Selfmade,
    /// A graph or template of AutoGPT's server of 2024.
    Graph2024,
    /// An agent that today's AutoGPT exported, with the agents it calls.
    Agent,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    pub format: Format,
    /// The main graph comes first, then those it calls, as in the file.
    pub graphs: Vec<NamedGraph>,
    pub report: ImportReport,
    /// Whether the file says what its main graph is called.
    pub is_named: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NamedGraph {
    pub name: EntryName,
    pub content: GraphContent,
}

/// What AutoGPT calls the block of a node that was read from its file, or else the block's id. Of a placeholder it is what is
/// missing.
pub fn original_block(node: &Node) -> Option<String> {
    let origin = origin::NodeOrigin::get(node)?;
    origin.class.or(origin.block_id)
}

impl Imported {
    /// Gives the main graph another name, and with it those whose names begin with its own.
    pub fn rename_main(&mut self, to: &EntryName) -> Result<(), NameError> {
        let Some(main) = self.graphs.first().map(|graph| graph.name.clone()) else { return Ok(()) };
        let mut renamed = vec![(main.clone(), to.clone())];
        for graph in &self.graphs[1..] {
            let part =
                graph.name.as_str().strip_prefix(main.as_str()).and_then(|rest| rest.strip_prefix('.'));
            if let Some(part) = part {
                renamed.push((graph.name.clone(), EntryName::new(&format!("{to}.{part}"))?));
            }
        }
        // Those that are called first, so that none is renamed twice.
        for (from, to) in renamed.iter().rev() {
            self.rename(from, to);
        }
        Ok(())
    }

    /// Gives one of the graphs another name, also where others call it. Names in the file are titles; those here are derived.
    pub fn rename(&mut self, from: &EntryName, to: &EntryName) {
        for graph in &mut self.graphs {
            if graph.name == *from {
                graph.name = to.clone();
            }
            for node in &mut graph.content.nodes {
                if node.block == from.as_str() {
                    node.block = to.to_string();
                }
            }
            origin::rename(&mut graph.content, from.as_str(), to.as_str());
        }
        self.report.rename(from.as_str(), to.as_str());
    }
}
