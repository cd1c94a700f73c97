//! `selfmade log`: the Changesets that were applied, newest first.

use model::changeset::ChangesetState;
use serde_json::json;
use server::app::changesets::ChangesetLine;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{DIM, NAME, WARNING};
use crate::terminal::table::{Cell, Table};

/// Show the history of the brain, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade log
  selfmade log --limit 5 --json
  selfmade changes show r12      what revision 12 changed")]
pub(crate) struct Arguments {
    /// How many to show
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// Only changesets before this one
    #[arg(long, value_name = "NUMBER")]
    before: Option<u64>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let log = brain.changesets(None, true, arguments.before, arguments.limit).await?;
    session.output.answer(&json!({ "changesets": log }), |screen| table(&log, screen))?;
    if log.is_empty() {
        session.output.note("nothing has been applied yet");
    }
    Ok(Exit::Done)
}

pub(crate) fn table(log: &[ChangesetLine], screen: &Screen) -> String {
    let mut table = Table::new(&["revision", "changeset", "when", "who", "title", ""], 4);
    for changeset in log {
        let revision =
            changeset.summary.applied_revision.map(|revision| format!("r{revision}")).unwrap_or_default();
        let reverted = if changeset.summary.state == ChangesetState::Reverted { "reverted" } else { "" };
        table.row(vec![
            Cell::painted(NAME, revision),
            changeset.summary.number.to_string().into(),
            Cell::painted(DIM, screen.time(changeset.summary.created_at)),
            Cell::painted(DIM, &changeset.who),
            (&changeset.summary.title).into(),
            Cell::painted(WARNING, reverted),
        ]);
    }
    table.render(screen)
}
