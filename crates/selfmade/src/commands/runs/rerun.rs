//! `selfmade runs rerun`: the same input again.

use super::Reference;
use crate::client::{Brain, Start};
use crate::commands::run::execute;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Run the same input again, as a new run
///
/// It uses the version of that run and the live versions of what it calls; with --live, the live version. Its effects happen
/// again; `runs replay` shows what happened without new effects.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade runs rerun 391ab633
  selfmade runs rerun 391ab633 --live    with the function as it is now")]
pub(crate) struct Arguments {
    /// The id of the run, or the beginning or end of it
    #[arg(value_name = "ID")]
    run: Reference,
    /// Use the live version
    #[arg(long)]
    live: bool,
    /// Leave the runs that the new run triggers for later
    #[arg(long)]
    no_triggers: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let id = arguments.run.id(brain).await?;
    let start = Start::Again { run: id, live: arguments.live };
    execute(session, brain, &start, !arguments.no_triggers).await
}
