//! `selfmade runs show`: everything that is known of one Run.

use super::Reference;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::run_record_view;
use crate::session::Session;

/// Show everything that is known of a run
///
/// What it took and gave, its error, what it printed, the versions it loaded, what it called and did, and what it led to.
/// Long values and lists are cut; --verbose shows all lines, and --json has everything.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade runs show 391ab633
  selfmade runs show 391ab633 --json | jq .output")]
pub(crate) struct Arguments {
    /// Its id, or the beginning or end of it
    #[arg(value_name = "ID")]
    run: Reference,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let id = arguments.run.id(brain).await?;
    let record = brain.run(id).await?;
    let output = &session.output;
    output.answer(&record, |screen| run_record_view::render(&record, screen, output.verbose))?;
    Ok(Exit::Done)
}
