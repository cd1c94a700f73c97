//! `selfmade runs extend`: raises what a run may spend.

use super::Reference;
use crate::client::Brain;
use crate::commands::budget::AddedArguments;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::views::run_record;

/// Raise the budget of a run
///
/// What is stated is added to the limits of the run, and to those of the runs above it. `runs show` shows what is spent.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade runs extend 4f2a --money 1          one more dollar
  selfmade runs extend 4f2a --tokens 50000 --seconds 600")]
pub(crate) struct Arguments {
    /// The id of the run, or the beginning or end of it
    #[arg(value_name = "ID")]
    run: Reference,
    #[command(flatten)]
    more: AddedArguments,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let id = arguments.run.id(brain).await?;
    let spending = brain.extend(id, &arguments.more.limits()).await?;
    let lines = |_: &Screen| run_record::budget(&spending).into_iter().map(|line| format!("{line}\n")).collect();
    session.output.answer(&spending, lines)?;
    Ok(Exit::Done)
}
