//! `selfmade serve`: answers over HTTP, and carries out what is queued and what triggers and schedules start, until it is
//! told to stop.

use std::net::SocketAddr;
use std::time::Duration;

use model::name::EntryName;
use server::app::retention;
use server::engine::{self, Stop};
use server::http::{self, Door, HttpConfig};
use server::serving::Serving;
use server::{scheduler, triggers};

use super::warm;
use crate::error::{Error, Exit};
use crate::session::{Brain, Session};
use crate::style::counted;

/// Serve the brain: the HTTP API, queued runs, triggers and schedules, until told to stop
///
/// Everything over HTTP takes a token; the link that is printed signs one browser in.
///
/// SIGTERM or Ctrl-C: no more runs are taken, those under way may end; a second one, or the end of the time for that,
/// ends them. Those whose effects are all steps are resumed by the next server. A brain on SQLite has one server at a time.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade serve
  SELFMADE_LOG=selfmade_server=info selfmade serve     tell about each run
  selfmade serve --listen 0.0.0.0:7333 --name brain.example
  selfmade serve --warm plot --drain 120")]
pub(crate) struct Arguments {
    /// Where to listen for HTTP; port 0 is any free one
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "SELFMADE_LISTEN",
        hide_env_values = true,
        default_value = "127.0.0.1:7333"
    )]
    listen: String,
    /// A name under which others reach it, beside localhost and plain addresses; may be repeated
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
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
    let listener = http::bind(&arguments.listen).await?;
    warm::warm(session, brain, &arguments.warm).await?;
    let names = arguments.name.iter().map(|name| name.to_ascii_lowercase()).collect();
    let config = HttpConfig { names, ..HttpConfig::default() };
    let door = Door::new(brain.ctx.clone(), config, stop.taking.clone());
    introduce(session, listener.address, &door)?;
    let at_once = brain.ctx.engine.config().at_once;
    session.output.note(format!(
        "serving {}: carries out what is queued, triggered and scheduled, {at_once} runs at once; Ctrl-C or SIGTERM stops it",
        brain.database
    ));
    let answering = tokio::spawn(http::serve(listener, door));
    let watching = tokio::spawn(triggers::watch(brain.ctx.clone(), stop.taking.clone()));
    let ticking = tokio::spawn(scheduler::keep_time(brain.ctx.clone(), stop.taking.clone()));
    let pruning = tokio::spawn(retention::keep(brain.ctx.clone(), stop.taking.clone()));
    let ending = tokio::spawn(drain(session.clone(), brain.ctx.clone(), stop.clone(), arguments.drain));
    engine::work_until(brain.ctx.clone(), stop).await;
    ending.abort();
    // One that panicked has been reported; there is nothing more to do for it here.
    let _ = tokio::join!(watching, ticking, pruning, answering);
    session.output.note("stopped");
    Ok(Exit::Done)
}

/// Says where it listens, and how a browser gets in.
fn introduce(session: &Session, address: SocketAddr, door: &Door) -> Result<(), Error> {
    let host = if address.ip().is_unspecified() {
        format!("localhost:{}", address.port())
    } else {
        address.to_string()
    };
    session.output.note(format!("listening at http://{host}"));
    session.output.note(format!("sign in once, within a day: http://{host}{}", door.sign_in_path()?));
    if !address.ip().is_loopback() {
        session
            .output
            .note("others on the network can reach it, without encryption: put a proxy with TLS before it");
    }
    Ok(())
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
