//! Which of the contents of a Graph is meant: the live Version, another one, or the draft.

use model::access::Access;
use model::access::verb::Verb;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::graph::GraphContent;
use model::name::EntryName;
use model::version::VersionNumber;

use crate::app::functions::{self, Which};
use crate::ctx::Ctx;
use crate::error::Error;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GraphSource {
    #[default]
    Live,
    Version(VersionNumber),
    Draft,
}

pub(crate) async fn content(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    source: GraphSource,
) -> Result<GraphContent, Error> {
    let which = match source {
        GraphSource::Live => Which::Live,
        GraphSource::Version(number) => Which::Number(number),
        GraphSource::Draft => {
            access.may_touch(Verb::ReadChangesets, name.as_str())?;
            let draft = ctx.store.graph_draft(name).await?;
            return draft
                .map(|draft| draft.content)
                .ok_or_else(|| Error::NoGraphDraft { graph: name.clone() });
        }
    };
    let key = EntryKey::new(EntryKind::Graph, name.clone());
    let version = functions::version(ctx, access, &key, which).await?;
    match version.content {
        Content::Graph(graph) => Ok(graph),
        _ => Err(Error::NotFound { key, near: None }),
    }
}
