//! Pictures of Graphs.

use model::access::Access;
use model::access::verb::Verb;
use model::graph::draw;
use model::name::EntryName;

use super::source::{GraphSource, content};
use crate::blocking::blocking;
use crate::ctx::Ctx;
use crate::error::Error;

/// How a Graph is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawing {
    Svg,
    /// At most so many columns wide.
    Text(usize),
}

pub async fn draw(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    source: GraphSource,
    drawing: Drawing,
) -> Result<String, Error> {
    access.may_touch(Verb::ReadFunctions, name.as_str())?;
    let content = content(ctx, access, name, source).await?;
    Ok(blocking(move || match drawing {
        Drawing::Svg => draw::svg(&content),
        Drawing::Text(columns) => draw::text(&content, columns),
    })
    .await)
}
