//! `selfmade graph rebase`: a draft goes on from what is live now.

use crate::client::Brain;
use crate::commands::graph::name;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::{graph_diff, graph_problems};

/// Repeat the edits of a draft on the live version
///
/// It is needed if somebody made another version live since the draft was begun. If the same node changed in both, nothing is
/// changed; with --force the draft stays as it is, so that applying it undoes what others changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph rebase news
  selfmade graph rebase news --force")]
pub(crate) struct Arguments {
    name: String,
    /// Keep the draft as it is
    #[arg(long)]
    force: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let name = name(&arguments.name)?;
    let view = brain.rebase_graph_draft(&name, arguments.force).await?;
    session
        .output
        .answer(&view, |_| graph_diff::lines(&view.diff) + &graph_problems::lines(&view.problems))?;
    let base = view.base.map_or("nothing".to_owned(), |base| format!("version {base}"));
    session.output.note(format!("the draft of `{name}` is based on {base}, and at edit {}", view.edit));
    Ok(Exit::Done)
}
