//! `selfmade serve`: carries out what is queued and what triggers and schedules start, until it is told to stop.

use std::time::Duration;

use model::name::EntryName;
use server::app::retention;
use server::engine::{self, Stop};
use server::serving::Serving;
use server::{scheduler, triggers};

use super::warm;
use crate::error::{Error, Exit};
use crate::session::{Brain, Session};
use crate::style::counted;

/// Carry out queued runs, triggers and schedules until told to stop
///
/// SIGTERM or Ctrl-C: no more runs are taken, those under way may end; a second one, or the end of the time for that,
/// ends them. Those whose effects are all steps are resumed by the next server. A brain on SQLite has one server at a time.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade serve
  SELFMADE_LOG=selfmade_server=info selfmade serve     tell about each run
  selfmade serve --warm plot --drain 120")]
pub(crate) struct Arguments {
    /// Seconds that runs under way have to end when it is told to stop
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    drain: u32,
    /// Make this function ready first, so that its first run is quick; may be repeated
    #[arg(long, value_name = "NAME")]
    warm: Vec<EntryName>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let _serving = Serving::begin(&brain.location)?;
    let stop = Stop::default();
    session.interrupts.stopping([stop.taking.clone(), stop.running.clone()]);
    warm::warm(session, brain, &arguments.warm).await?;
    let at_once = brain.ctx.engine.config().at_once;
    session.output.note(format!(
        "serving {}: carries out what is queued, triggered and scheduled, {at_once} runs at once; Ctrl-C or SIGTERM stops it",
        brain.database
    ));
    let watching = tokio::spawn(triggers::watch(brain.ctx.clone(), stop.taking.clone()));
    let ticking = tokio::spawn(scheduler::keep_time(brain.ctx.clone(), stop.taking.clone()));
    let pruning = tokio::spawn(retention::keep(brain.ctx.clone(), stop.taking.clone()));
    let ending = tokio::spawn(drain(session.clone(), brain.ctx.clone(), stop.clone(), arguments.drain));
    engine::work_until(brain.ctx.clone(), stop).await;
    ending.abort();
    // One that panicked has been reported; there is nothing more to do for it here.
    let _ = tokio::join!(watching, ticking, pruning);
    session.output.note("stopped");
    Ok(Exit::Done)
}

/// Once it takes no more, what is under way has so many seconds.
async fn drain(session: Session, ctx: server::Ctx, stop: Stop, seconds: u32) {
    stop.taking.cancelled().await;
    let under_way = engine::under_way(&ctx);
    if under_way > 0 {
        let runs = counted(under_way, "run");
        session.output.note(format!("waiting up to {seconds} s for {runs} under way; once more ends them"));
    }
    ctx.clock.wait_until(ctx.clock.now() + Duration::from_secs(seconds.into())).await;
    stop.running.cancel();
}
