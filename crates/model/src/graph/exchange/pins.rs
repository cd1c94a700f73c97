//! How the pins of a node are called in the file and here.

use crate::graph::aliases::{BlockAlias, alias, all};
use crate::graph::node::Node;

pub(super) const EXECUTOR: &str = "AgentExecutorBlock";
pub(super) const ORCHESTRATOR: &str = "OrchestratorBlock";
pub(super) const CONVERTER: &str = "UniversalTypeConverterBlock";
pub(super) const TEMPLATE: &str = "FillTextTemplateBlock";
/// Before the name of a block of ours that AutoGPT does not have.
pub const OURS: &str = "selfmade:";

/// A pin of a graph that is called, among the constants of the node that calls it.
pub(super) const INPUTS: [&str; 2] = ["inputs_#_", "data_#_"];

#[derive(Clone, Copy, Debug)]
pub(super) enum Pins {
    /// By the table of blocks.
    Alias(&'static BlockAlias),
    /// A graph that is called: its inputs and outputs.
    Graph,
    /// As in the file.
    Same,
}

pub(super) fn by_class(class: &str) -> Option<&'static BlockAlias> {
    all().find(|alias| alias.class == class)
}

impl Pins {
    /// Of a node that stands for a block of the file.
    pub(super) fn of(node: &Node, block_id: &str) -> Pins {
        match alias(block_id) {
            _ if node.block == "@placeholder" => Pins::Same,
            Some(alias) if alias.class == EXECUTOR => Pins::Graph,
            Some(alias) if alias.block == node.block => Pins::Alias(alias),
            _ => Pins::Same,
        }
    }

    /// `None` if we have no such pin.
    pub(super) fn input(self, theirs: &str) -> Option<String> {
        match self {
            Pins::Alias(alias) => alias.input(theirs),
            Pins::Graph => {
                let inner = INPUTS.iter().find_map(|prefix| theirs.strip_prefix(prefix));
                inner.map(str::to_owned)
            }
            Pins::Same => Some(theirs.to_owned()),
        }
    }

    /// The input pin that a link leads to.
    pub(super) fn sink(self, theirs: &str) -> Option<String> {
        match self {
            Pins::Graph => self.input(theirs).or_else(|| Some(theirs.to_owned())),
            _ => self.input(theirs),
        }
    }

    pub(super) fn output(self, theirs: &str) -> String {
        match self {
            Pins::Alias(alias) => alias.output(theirs),
            Pins::Graph | Pins::Same => theirs.to_owned(),
        }
    }

    pub(super) fn their_input(self, ours: &str) -> String {
        match self {
            Pins::Alias(alias) => alias.their_input(ours),
            Pins::Graph => format!("{}{ours}", INPUTS[0]),
            Pins::Same => ours.to_owned(),
        }
    }

    pub(super) fn their_sink(self, ours: &str) -> String {
        match self {
            Pins::Graph => ours.to_owned(),
            _ => self.their_input(ours),
        }
    }

    pub(super) fn their_output(self, ours: &str) -> String {
        match self {
            Pins::Alias(alias) if alias.class == ORCHESTRATOR && ours.starts_with("tools_#_") => {
                "tools".to_owned()
            }
            Pins::Alias(alias) => alias.their_output(ours),
            Pins::Graph | Pins::Same => ours.to_owned(),
        }
    }

    pub(super) fn output_in_2024(self, ours: &str) -> String {
        match self {
            Pins::Alias(alias) if alias.class != ORCHESTRATOR => alias.output_in_2024(ours),
            _ => self.their_output(ours),
        }
    }
}
