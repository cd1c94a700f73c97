//! Blocks: what a node can do, with its pins.

use model::access::Access;
use model::access::verb::Verb;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::function::signature::Signature;
use model::graph::block::BlockSignature;
use model::graph::builtin::Builtin;
use model::name::EntryName;
use model::version::VersionNumber;
use serde::{Deserialize, Serialize};

use crate::app::functions::{self, Which};
use crate::ctx::Ctx;
use crate::error::Error;

/// A built-in block.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct BuiltinView {
    /// As a node states it: `@` and its name.
    pub block: String,
    pub description: String,
    #[serde(flatten)]
    pub pins: BlockSignature,
}

/// A Function or Graph, as a node and as a caller see it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct CallableView {
    #[serde(flatten)]
    pub key: EntryKey,
    pub version: VersionNumber,
    pub description: String,
    /// How it is called.
    pub signature: Signature,
    #[serde(flatten)]
    pub pins: BlockSignature,
}

/// The closed set.
pub fn builtins(access: &Access) -> Result<Vec<BuiltinView>, Error> {
    access.may(Verb::ReadFunctions)?;
    let view = |builtin: Builtin| BuiltinView {
        block: format!("@{}", builtin.name()),
        description: builtin.description().to_owned(),
        pins: builtin.signature(&serde_json::Map::new()),
    };
    Ok(Builtin::ALL.map(view).to_vec())
}

/// Whatever has this name and can be run.
pub async fn callable(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    number: Option<VersionNumber>,
) -> Result<CallableView, Error> {
    let which = number.map_or(Which::Live, Which::Number);
    let found = functions::version(ctx, access, &EntryKey::function(name.clone()), which).await;
    let version = match found {
        Err(absent @ (Error::NotFound { .. } | Error::VersionNotFound { .. })) => {
            let graph = EntryKey::new(EntryKind::Graph, name.clone());
            match functions::version(ctx, access, &graph, which).await {
                Err(Error::NotFound { .. }) => return Err(absent),
                found => found?,
            }
        }
        found => found?,
    };
    let (description, signature, pins) = match &version.content {
        Content::Function(function) => {
            (function.description.clone(), function.signature.clone(), BlockSignature::of_stored(function))
        }
        Content::Graph(graph) => {
            let pins = BlockSignature::of_graph(graph);
            (graph.description.clone(), pins.to_signature(), pins)
        }
        Content::Trigger(_) | Content::Schedule(_) => {
            return Err(Error::NotFound { key: version.head.key, near: None });
        }
    };
    Ok(CallableView { key: version.head.key, version: version.head.number, description, signature, pins })
}
