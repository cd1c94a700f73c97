//! `selfmade graph apply`: the draft becomes the live Version.

use model::name::EntryName;
use server::app::graphs::drafts::SeenDraft;

use crate::client::Brain;
use crate::commands::graph::name;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::applied;

/// Make the draft of a graph its live version
///
/// It is a changeset like any other, and has to pass its checks. --edit is the last edit that you have seen: `graph show NAME --draft`
/// shows it. If somebody edited the draft since, nothing is changed, and the error names them. If somebody made another version live since the draft was
/// begun, nothing is changed: see `graph rebase`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph apply news --edit 3
  selfmade graph apply news --edit 4 --with news.fetch@0 --title \"fetch apart\"")]
pub(crate) struct Arguments {
    name: String,
    /// The last edit of the draft that you have seen
    #[arg(long, value_name = "N")]
    edit: u64,
    /// Apply the draft of this graph, too, as it was after this edit; may be repeated
    #[arg(long, value_name = "NAME@N", value_parser = seen)]
    with: Vec<SeenDraft>,
    /// What the changeset is for
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let first = SeenDraft { name: name(&arguments.name)?, edit: arguments.edit };
    let done = brain.apply_graph_draft(&first, &arguments.with, arguments.title.as_deref()).await?;
    applied::show(&session.output, &done)?;
    Ok(Exit::Done)
}

/// `NAME@N`, as `graph pack` shows it.
fn seen(text: &str) -> Result<SeenDraft, String> {
    let parts = text.rsplit_once('@').and_then(|(name, edit)| Some((name, edit.parse().ok()?)));
    let (name, edit) =
        parts.ok_or("write the name of the graph and the last edit that you have seen, such as `news@0`")?;
    Ok(SeenDraft { name: EntryName::new(name).map_err(|error| error.to_string())?, edit })
}
