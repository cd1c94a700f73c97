//! Turning a selection of nodes into a Graph of its own, and back.
//!
//! Unpacking what was packed gives the same graph: the same nodes and links with all their fields, up to the order of
//! nodes and links. It does not always run the same way: a graph in a graph starts when all of its pins have a value,
//! while its nodes did so one by one.

mod pack;
mod unpack;

use std::collections::HashSet;

use thiserror::Error;

pub use self::pack::pack;
pub use self::unpack::unpack;
use super::GraphContent;

/// What a selection became.
#[derive(Clone, Debug, PartialEq)]
pub struct Packed {
    /// The graph with one node in the place of the selection.
    pub outer: GraphContent,
    /// The selection, with input and output blocks for the links that were cut.
    pub inner: GraphContent,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PackError {
    #[error("nothing is selected; name at least one node")]
    Nothing,
    #[error("the graph has no node `{0}`")]
    NoNode(String),
    #[error("the graph has a node `{0}` already; give the new node another id")]
    NodeExists(String),
    #[error("`{0}` is a pin of the graph itself; leave it out of the selection")]
    Border(String),
    #[error(
        "the selection needs what `{0}` makes of its own output, so it would wait for itself; select that node too"
    )]
    WaitsForItself(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnpackError {
    #[error("the graph has no node `{0}`")]
    NoNode(String),
    #[error("a link at pin `{pin}` of node `{node}` has no place in what it contains; remove it first")]
    Pin { node: String, pin: String },
    #[error(
        "inside, `{0}` is linked like any other node, which a pin of the graph cannot be any more; change that first"
    )]
    Border(String),
}

/// A text that is not taken yet, like the one wanted.
fn unique(wanted: &str, taken: &mut HashSet<String>) -> String {
    let mut name = wanted.to_owned();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{wanted}_{number}");
        number += 1;
    }
    name
}
