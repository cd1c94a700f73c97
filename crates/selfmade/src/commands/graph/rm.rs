//! `selfmade graph rm`: Graphs that shall be live no more. Their Versions stay.

use model::entry::EntryKind;

use super::name;
use crate::client::{Brain, Change, Changes};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::applied::{self, Submission};

/// Delete graphs
///
/// Their versions and runs are kept, so the changeset can be reverted. Triggers and schedules that start them are deleted
/// too. A graph that others call is not deleted, unless those are deleted as well.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph rm news
  selfmade changes revert r12           bring back what revision 12 deleted")]
pub(crate) struct Arguments {
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    submission: Submission,
    /// What the changeset is for
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let mut changes = Vec::new();
    for text in &arguments.names {
        let name = name(text)?;
        // Deleting what is not there changes nothing; someone who mistyped a name would not notice.
        brain.graph(&name, None).await?;
        changes.push(Change::Delete { name, kind: EntryKind::Graph });
    }
    let changes = Changes { title: arguments.title, changes };
    applied::submit(session, brain, &changes, arguments.submission).await
}
