//! `selfmade runs rerun`: the same input once more.

use super::Reference;
use crate::client::{Brain, Start};
use crate::commands::run::carry_out;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Run the same input once more, as a new run
///
/// On the version that the run was of, calling what is live now; or, with --live, on the live version. Its effects happen
/// again: to look at what happened then, `runs replay` does nothing new.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade runs rerun 391ab633
  selfmade runs rerun 391ab633 --live    with the function as it is now")]
pub(crate) struct Arguments {
    /// Its id, or the beginning or end of it
    #[arg(value_name = "ID")]
    run: Reference,
    /// On the live version
    #[arg(long)]
    live: bool,
    /// Leave for later what the new run triggers
    #[arg(long)]
    no_triggers: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let id = arguments.run.id(brain).await?;
    let start = Start::Again { run: id, live: arguments.live };
    carry_out(session, brain, &start, !arguments.no_triggers).await
}
