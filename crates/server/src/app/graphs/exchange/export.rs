//! A Graph becomes a file, with those of the Graphs it calls that the caller may read.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use model::access::Access;
use model::access::verb::Verb;
use model::graph::block::BlockSignature;
use model::graph::exchange::{Format, ImportNote, WriteError, write};
use model::graph::{Blocks, GraphContent, Missing};
use model::name::EntryName;
use model::version::VersionNumber;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::asked::with_blocks;
use crate::app::graphs::source::{GraphSource, content};
use crate::ctx::Ctx;
use crate::error::Error;

#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct GraphExported {
    pub name: EntryName,
    pub format: Format,
    #[schema(value_type = Object)]
    pub file: Value,
    /// What the file cannot say, and secrets that were left out.
    pub notes: Vec<ImportNote>,
    /// What it calls and the caller may not read. The file calls it by its name and does not contain it.
    pub left_out: Vec<String>,
}

pub async fn export(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    source: GraphSource,
    format: Format,
) -> Result<GraphExported, Error> {
    access.may_touch(Verb::ReadFunctions, name.as_str())?;
    let content = content(ctx, access, name, source).await?;
    let (main, reader) = (name.clone(), access.clone());
    let left_out = Arc::new(Mutex::new(BTreeSet::new()));
    let noted = Arc::clone(&left_out);
    let written = with_blocks(ctx, access, move |blocks: &dyn Blocks| {
        let readable = Readable { blocks, access: &reader, left_out: &noted };
        write(&main, &content, &readable, format)
    });
    let written = written.await?.map_err(|error| refused(&error))?;
    let left_out = std::mem::take(&mut *left_out.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(GraphExported {
        name: name.clone(),
        format,
        file: written.file,
        notes: written.notes,
        left_out: left_out.into_iter().collect(),
    })
}

fn refused(error: &WriteError) -> Error {
    Error::Input {
        problem: error.to_string(),
        hint: "an `agent` file holds all the graphs that are called, and so does one of `selfmade`"
            .to_owned(),
    }
}

/// Without Graphs that the caller may call but not read, which are noted.
struct Readable<'a> {
    blocks: &'a dyn Blocks,
    access: &'a Access,
    left_out: &'a Mutex<BTreeSet<String>>,
}

impl Blocks for Readable<'_> {
    fn signature(&self, name: &str, version: Option<VersionNumber>) -> Result<Arc<BlockSignature>, Missing> {
        self.blocks.signature(name, version)
    }

    fn graph(&self, name: &str, version: Option<VersionNumber>) -> Option<Arc<GraphContent>> {
        if self.access.covers(name) {
            return self.blocks.graph(name, version);
        }
        // Whether it is a graph must not show.
        self.left_out.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
        None
    }
}
