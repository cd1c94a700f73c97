//! `selfmade runs show`: everything that is known of one Run.

use super::Reference;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::run_record;

/// Show everything recorded about a run
///
/// Its input and output, its error, what it printed, the versions it loaded, its calls and steps, and what it triggered.
/// Long values and lists are truncated; --verbose shows all lines, and --json shows everything.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade runs show 391ab633
  selfmade runs show 391ab633 --json | jq .output")]
pub(crate) struct Arguments {
    /// The id of the run, or the beginning or end of it
    #[arg(value_name = "ID")]
    run: Reference,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let id = arguments.run.id(brain).await?;
    let record = brain.run(id).await?;
    let output = &session.output;
    output.answer(&record, |screen| run_record::render(&record, screen, output.verbose, output.traceback))?;
    Ok(Exit::Done)
}
