//! `selfmade schedule run`: what a tick would start, now.

use server::app::{runs, schedules};

use super::name;
use crate::commands::run::carry_out;
use crate::error::{Error, Exit};
use crate::session::{ACTOR, Brain, Session};

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
    let request = schedules::now(&brain.ctx, &name(&arguments.name)?).await?;
    if !arguments.queue {
        return carry_out(session, brain, request, !arguments.no_triggers).await;
    }
    let run = runs::queue(&brain.ctx, &ACTOR, request).await?;
    session.output.answer(&run, |_| format!("{}\n", run.run_id))?;
    session.output.note("queued; `selfmade serve` carries it out");
    Ok(Exit::Done)
}
