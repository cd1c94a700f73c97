//! `selfmade schedule run`: what a tick would start, now.

use super::name;
use crate::client::{Brain, Start};
use crate::commands::run::{carry_out, queue};
use crate::error::{Error, Exit};
use crate::session::Session;

/// Run now what a schedule runs at its times
///
/// Whether it is paused, and whether a run of it still goes on. The times it ticks at stay as they are.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade schedule run nightly\n  selfmade schedule run nightly --queue")]
pub(crate) struct Arguments {
    name: String,
    /// Queue it instead of running it now, and print its id
    #[arg(long)]
    queue: bool,
    /// Leave for later what this run triggers
    #[arg(long)]
    no_triggers: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let start = Start::Schedule(name(&arguments.name)?);
    if arguments.queue {
        return queue(session, brain, &start).await;
    }
    carry_out(session, brain, &start, !arguments.no_triggers).await
}
