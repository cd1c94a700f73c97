//! What stands for the blocks of AutoGPT in this brain.

use std::collections::BTreeSet;

use model::access::Access;
use model::graph::aliases::all;
use model::graph::exchange::OURS;
use model::graph::{GraphContent, Node};
use serde_json::Value;

use crate::app::graphs::library::Library;
use crate::ctx::Ctx;
use crate::error::Error;

/// Everything that a file may place: what stands for known blocks, and what the file names itself.
pub(super) async fn library(ctx: &Ctx, access: &Access, file: &Value) -> Result<Library, Error> {
    let known = all().map(|alias| alias.block);
    let own = file["nodes"].as_array().into_iter().flatten().filter_map(|node| node["block_id"].as_str());
    let names: BTreeSet<&str> = known.chain(own.filter_map(|id| id.strip_prefix(OURS))).collect();
    let placed = names.iter().filter(|name| !name.is_empty() && !name.starts_with('@'));
    let nodes = placed.map(|name| Node::new(name, name)).collect();
    let all = GraphContent { nodes, ..GraphContent::default() };
    Library::read(ctx, access, std::iter::empty(), std::iter::once(&all)).await
}
