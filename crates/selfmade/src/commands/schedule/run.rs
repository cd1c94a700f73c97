//! `selfmade schedule run`: what a tick would start, now.

use super::name;
use crate::client::{Brain, Start};
use crate::commands::run::{execute, queue};
use crate::error::{Error, Exit};
use crate::session::Session;

/// Run the target of a schedule now
///
/// This works even if it is paused or a run of it is still running, and does not change when it ticks.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade schedule run nightly\n  selfmade schedule run nightly --queue")]
pub(crate) struct Arguments {
    name: String,
    /// Queue it instead of running it now, and print its id
    #[arg(long)]
    queue: bool,
    /// Leave the runs that this run triggers for later
    #[arg(long)]
    no_triggers: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let start = Start::Schedule(name(&arguments.name)?);
    if arguments.queue {
        return queue(session, brain, &start).await;
    }
    execute(session, brain, &start, !arguments.no_triggers).await
}
