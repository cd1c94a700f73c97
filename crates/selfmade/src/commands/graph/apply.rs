//! `selfmade graph apply`: the draft becomes the live Version.

use model::name::EntryName;

use super::name;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::applied;

/// Make the draft of a graph its live version
///
/// It is a changeset like any other, and has to pass its checks. If somebody made another version live since the draft was
/// begun, nothing is changed: see `graph rebase`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph apply news
  selfmade graph apply news --with news.fetch --title \"fetch apart\"")]
pub(crate) struct Arguments {
    name: String,
    /// Apply the draft of this graph, too; may be repeated
    #[arg(long, value_name = "NAME")]
    with: Vec<String>,
    /// What the changeset is for
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let with = arguments.with.iter().map(|text| name(text)).collect::<Result<Vec<EntryName>, Error>>()?;
    let done = brain.apply_graph_draft(&name(&arguments.name)?, &with, arguments.title.as_deref()).await?;
    applied::show(&session.output, &done)?;
    Ok(Exit::Done)
}
