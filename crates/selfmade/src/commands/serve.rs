//! `selfmade serve`: answers over HTTP, and carries out what is queued and what triggers and schedules start, until it is
//! told to stop.

use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::pin::pin;
use std::time::Duration;

use model::ids::NodeId;
use model::name::EntryName;
use sandbox::CancellationToken;
use serde_json::json;
use server::Config;
use server::announcement::{self, Announcement, Announcer};
use server::app::retention;
use server::clock::Clock;
use server::engine::{self, Stop};
use server::http::{self, Door, HttpConfig};
use server::serving::Serving;
use server::settings::{Given, Source};
use server::{scheduler, traces, triggers};
use store::Location;

use super::background::start::Ready;
use super::{demo, warm};
use crate::allocator;
use crate::client::{Brain, Local};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::style::{DIM, NAME, counted};
use crate::table::{Cell, Table};

/// So long after its start a server has made all that it keeps.
const STARTED: Duration = Duration::from_secs(1);

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
  selfmade serve --log info                   tell about each request and each run
  selfmade serve --show-config                see what is configured, and where
  selfmade serve --listen 0.0.0.0:7333 --name brain.example
  selfmade serve --warm plot --drain 120
  selfmade serve --demo                                a brain with something in it, to try things out")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) flags: Flags,
    /// Show every setting, its value and where it came from, and do nothing else
    #[arg(long)]
    pub(crate) show_config: bool,
    /// Fill a new brain with an example to look around in; without --home it is gone afterwards
    #[arg(long)]
    pub(crate) demo: bool,
    /// As `start` starts it: says on standard output when it is ready, and nothing else
    #[arg(long, hide = true)]
    pub(crate) background: bool,
}

/// What a server may be told, in the foreground or not.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Flags {
    /// Where to listen for HTTP; port 0 is any free one [default: 127.0.0.1:7333]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// A name under which others reach it, beside localhost and plain addresses; may be repeated
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Believe this proxy for whom it speaks (X-Forwarded-For); may be repeated
    #[arg(long, value_name = "ADDRESS")]
    trusted_proxy: Vec<IpAddr>,
    /// Requests a second that one token, or one address without a token, may send; ten seconds' worth at once
    #[arg(long, value_name = "REQUESTS")]
    rate: Option<NonZeroU32>,
    /// Seconds that runs under way have to end when it is told to stop [default: 30]
    #[arg(long, value_name = "SECONDS")]
    drain: Option<u32>,
    /// Make this function ready first, so that its first run is quick; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) warm: Vec<EntryName>,
}

impl Flags {
    pub(crate) fn given(&self, given: Given) -> Given {
        let names = (!self.name.is_empty()).then(|| self.name.join(","));
        let proxies: Vec<String> = self.trusted_proxy.iter().map(ToString::to_string).collect();
        given
            .flag("listen", self.listen.clone())
            .flag("names", names)
            .flag("trusted_proxies", (!proxies.is_empty()).then(|| proxies.join(",")))
            .flag("rate", self.rate.map(|rate| rate.to_string()))
            .flag("drain_seconds", self.drain.map(|seconds| seconds.to_string()))
    }
}

pub(crate) async fn run(session: &Session, arguments: Arguments) -> Result<Exit, Error> {
    if arguments.background {
        leave_session();
    }
    if arguments.demo {
        let stage = demo::Stage::of(session)?;
        return begin(&stage.session, arguments).await;
    }
    begin(session, arguments).await
}

async fn begin(session: &Session, arguments: Arguments) -> Result<Exit, Error> {
    let brain = Brain::Local(Box::new(session.open_here().await?));
    session.introduce(&brain);
    let done = match brain.local() {
        Some(local) => serve(session, &brain, local, arguments).await,
        None => Ok(Exit::Done),
    };
    brain.close().await;
    done
}

/// What a server that was killed left behind goes on at once.
async fn take_over(ctx: &server::Ctx, predecessor: Option<NodeId>) {
    let Some(node) = predecessor else { return };
    if let Err(error) = engine::recover_from(ctx, &[node]).await {
        tracing::warn!("cannot look for what the server before has left, until its leases run out: {error}");
    }
}

async fn serve(session: &Session, brain: &Brain, local: &Local, arguments: Arguments) -> Result<Exit, Error> {
    let (ctx, config) = (&local.ctx, &local.serve);
    let serving = Serving::begin(&local.location, Some(ctx.engine.node()))?;
    let announcer = Announcer::begin(&session.settings.home.path, &ctx.clock).await?;
    if announcer.is_none() && arguments.background {
        return Err(server::Error::Served { pid: None }.into());
    }
    take_over(ctx, serving.predecessor).await;
    let stop = Stop::default();
    session.interrupts.stopping([stop.taking.clone(), stop.running.clone()]);
    let listener = http::bind(&config.listen).await?;
    if arguments.demo {
        demo::fill(session, brain).await?;
    }
    warm::warm(session, brain, &arguments.flags.warm).await?;
    let http = HttpConfig {
        names: config.names.clone(),
        trusted_proxies: config.trusted_proxies.clone(),
        rate: config.rate,
        ..HttpConfig::default()
    };
    let door = Door::new(ctx.clone(), http, stop.taking.clone());
    let _announced =
        announcer.map(|announcer| announce(announcer, local, listener.address, &door)).transpose()?;
    if arguments.background {
        tell_ready(session, listener.address, &door)?;
    } else {
        introduce(session, listener.address, &door)?;
    }
    let at_once = ctx.engine.config().at_once;
    session.output.note(format!(
        "serving {}: carries out what is queued, triggered and scheduled, {at_once} runs at once; Ctrl-C or SIGTERM stops it",
        local.database
    ));
    if arguments.demo {
        demo::suggest(session);
    }
    tracing::info!(address = %listener.address, "selfmade {} serves at {}", env!("CARGO_PKG_VERSION"), listener.address);
    let answering = tokio::spawn(http::serve(listener, door));
    let watching = tokio::spawn(triggers::watch(ctx.clone(), stop.taking.clone()));
    let ticking = tokio::spawn(scheduler::keep_time(ctx.clone(), stop.taking.clone()));
    let pruning = tokio::spawn(retention::keep(ctx.clone(), stop.taking.clone()));
    tokio::spawn(settle(ctx.clock.clone()));
    // Runs that end while the others are waited for are told of, too.
    let told = CancellationToken::new();
    let telling = config
        .collector
        .clone()
        .map(|collector| tokio::spawn(traces::export(ctx.clone(), collector, told.clone())));
    work(session, ctx, &stop, config.drain).await;
    // One that panicked has been reported; there is nothing more to do for it here.
    let _ = tokio::join!(watching, ticking, pruning, answering);
    told.cancel();
    if let Some(telling) = telling {
        let _ = telling.await;
    }
    session.output.note("stopped");
    tracing::info!("stopped");
    Ok(Exit::Done)
}

/// Gives back what only the start needed, once it is over.
async fn settle(clock: Clock) {
    clock.wait_until(clock.now() + STARTED).await;
    allocator::give_back();
}

/// Signals to the terminal it was started from, and the end of that, concern it no more.
fn leave_session() {
    // Whoever leads a session already has left the other.
    #[cfg(unix)]
    let _ = rustix::process::setsid();
}

/// Leaves in the data folder where it is found.
fn announce(
    mut announcer: Announcer,
    local: &Local,
    address: SocketAddr,
    door: &Door,
) -> Result<Announcer, Error> {
    let database = match &local.location {
        Location::Sqlite(path) => path.canonicalize().ok(),
        Location::Postgres(_) => None,
    };
    announcer.announce(&Announcement {
        pid: std::process::id(),
        url: url(address),
        database,
        address: announcement::near(address),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: local.ctx.clock.now(),
        drain_seconds: local.serve.drain.as_secs(),
        key: door.owner_key()?,
    })?;
    Ok(announcer)
}

/// To whoever started it in the background.
fn tell_ready(session: &Session, address: SocketAddr, door: &Door) -> Result<(), Error> {
    let url = url(address);
    let sign_in = format!("{url}{}", door.sign_in_path()?);
    let ready = Ready { pid: std::process::id(), url, sign_in };
    let line = serde_json::to_string(&ready).map_err(|source| Error::Json { source })?;
    session.output.data(&format!("{line}\n"))
}

fn url(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        format!("http://localhost:{}", address.port())
    } else {
        format!("http://{address}")
    }
}

/// Says where it listens, and how a browser gets in.
fn introduce(session: &Session, address: SocketAddr, door: &Door) -> Result<(), Error> {
    let url = url(address);
    session.output.note(format!("listening at {url}"));
    session.output.note(format!("sign in once, within a day: {url}{}", door.sign_in_path()?));
    if !address.ip().is_loopback() {
        session
            .output
            .note("others on the network can reach it, without encryption: put a proxy with TLS before it");
    }
    Ok(())
}

/// Carries out what is queued until it is told to stop; then what is under way has so many seconds.
async fn work(session: &Session, ctx: &server::Ctx, stop: &Stop, time: Duration) {
    let mut working = pin!(engine::work_until(ctx.clone(), stop.clone()));
    let is_over = tokio::select! {
        biased;
        () = stop.taking.cancelled() => false,
        () = &mut working => true,
    };
    tell_stopping(session, engine::under_way(ctx), time.as_secs());
    if is_over {
        return;
    }
    tokio::select! {
        () = &mut working => {}
        () = ctx.clock.wait_until(ctx.clock.now() + time) => {
            stop.running.cancel();
            working.await;
        }
    }
}

fn tell_stopping(session: &Session, under_way: usize, seconds: u64) {
    tracing::info!(
        runs.under_way = under_way,
        "stopping: {under_way} runs under way have {seconds} s to end"
    );
    if under_way > 0 {
        let runs = counted(under_way, "run");
        session.output.note(format!("waiting up to {seconds} s for {runs} under way; once more ends them"));
    }
}

/// `--show-config`: what is in force, without touching the brain.
pub(crate) fn show_config(session: &Session) -> Result<Exit, Error> {
    let settings = &session.settings;
    let home = settings.home.path.clone();
    let all = Config::in_force(home, &settings.given).map_err(server::Error::from)?;
    let document =
        json!({ "home": settings.home.path, "home_why": settings.home.why.to_string(), "settings": all });
    session.output.answer(&document, |screen| {
        let mut table = Table::new(&["setting", "value", "from"], 1);
        for setting in &all {
            let from = match (setting.source, setting.flag) {
                (Source::Default, _) => Cell::painted(DIM, "default"),
                (Source::File, _) => "config.toml".into(),
                (Source::Flag, Some(flag)) => format!("--{flag}").into(),
                (Source::Variable | Source::Flag, _) => setting.variable.as_str().into(),
            };
            table.row(vec![Cell::painted(NAME, setting.key), setting.value.as_str().into(), from]);
        }
        table.render(screen)
    })?;
    session.output.aside(format!("data folder: {} ({})", settings.home.path.display(), settings.home.why));
    Ok(Exit::Done)
}
