//! `selfmade serve`: serves HTTP, and executes queued runs and what triggers and schedules start, until it is
//! told to stop.

use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::time::Duration;

use model::name::EntryName;
use serde_json::json;
use server::Config;
use server::clock::Clock;
use server::engine::Stop;
use server::http::Door;
use server::serve::Server;
use server::serve::announcement::{self, Announcement, Announcer};
use server::serve::roles::Roles;
use server::settings::{SettingInputs, Source};
use store::Location;

use super::background::start::Ready;
use super::demo::cafe;
use super::warm;
use crate::allocator;
use crate::client::{Brain, Local};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::style::{DIM, NAME, counted};
use crate::terminal::table::{Cell, Table};

/// So long after its start a server has made all that it keeps.
const STARTED: Duration = Duration::from_secs(1);

/// Serve the brain: the HTTP API, queued runs, triggers and schedules
///
/// Everything over HTTP requires a token; the printed link signs in one browser.
///
/// On SIGTERM or Ctrl-C it takes no more runs and waits for the running ones; a second signal, or the end of the drain time,
/// ends them. Runs whose effects are all steps are resumed by the next server. A brain on SQLite has one server at a time.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade serve
  selfmade serve --log info                   log each request and each run
  selfmade serve --show-config                show the configuration, and where it comes from
  selfmade serve --listen 0.0.0.0:7333 --name brain.example
  selfmade serve --warm plot --drain 120
  selfmade serve --demo                                a brain with an example, to try things out")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) flags: Flags,
    /// Show every setting, its value and where it comes from, and exit
    #[arg(long)]
    pub(crate) show_config: bool,
    /// Fill a new brain with an example; without --home it is deleted afterwards
    #[arg(long)]
    pub(crate) demo: bool,
    /// For `start`: print only when it is ready, to standard output
    #[arg(long, hide = true)]
    pub(crate) background: bool,
}

/// What a server may be told, in the foreground or not.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Flags {
    /// The address to listen on for HTTP; port 0 picks a free one [default: 127.0.0.1:7333]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// A host name it is reached by, besides localhost and IP addresses; may be repeated
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Trust X-Forwarded-For from this proxy; may be repeated
    #[arg(long, value_name = "ADDRESS")]
    trusted_proxy: Vec<IpAddr>,
    /// Requests per second for one token, or for one address without a token; bursts of up to ten seconds' worth
    #[arg(long, value_name = "REQUESTS")]
    rate: Option<NonZeroU32>,
    /// The roles of this server: http, engine, triggers, scheduler; servers on one PostgreSQL may share them [default: all]
    #[arg(long, value_name = "ROLES")]
    roles: Option<String>,
    /// Seconds that running runs have to end when the server stops [default: 30]
    #[arg(long, value_name = "SECONDS")]
    drain: Option<u32>,
    /// Prepare this function first, so its first run is fast; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) warm: Vec<EntryName>,
}

impl Flags {
    pub(crate) fn given(&self, given: SettingInputs) -> SettingInputs {
        let names = (!self.name.is_empty()).then(|| self.name.join(","));
        let proxies: Vec<String> = self.trusted_proxy.iter().map(ToString::to_string).collect();
        given
            .flag("listen", self.listen.clone())
            .flag("names", names)
            .flag("trusted_proxies", (!proxies.is_empty()).then(|| proxies.join(",")))
            .flag("rate", self.rate.map(|rate| rate.to_string()))
            .flag("roles", self.roles.clone())
            .flag("drain_seconds", self.drain.map(|seconds| seconds.to_string()))
    }
}

pub(crate) async fn run(session: &Session, arguments: Arguments) -> Result<Exit, Error> {
    if arguments.background {
        leave_session();
    }
    if arguments.demo {
        let stage = cafe::Stage::of(session)?;
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

async fn serve(session: &Session, brain: &Brain, local: &Local, arguments: Arguments) -> Result<Exit, Error> {
    let (ctx, config) = (&local.ctx, &local.serve);
    let stop = Stop::default();
    let server = Server::begin(ctx.clone(), &local.location, config.clone(), stop.clone())?;
    let announcer = Announcer::begin(&session.settings.home.path, &ctx.clock).await?;
    if announcer.is_none() && arguments.background {
        return Err(server::Error::Served { pid: None }.into());
    }
    session.interrupts.stopping([stop.taking.clone(), stop.running.clone()]);
    let bound = server.bind().await?;
    if arguments.demo {
        cafe::fill(session, brain).await?;
    }
    warm::warm(session, brain, &arguments.flags.warm).await?;
    let (address, door) = (bound.address(), &bound.door);
    let _announced = announcer.map(|announcer| announce(announcer, local, address, door)).transpose()?;
    if arguments.background {
        tell_ready(session, address, door)?;
    } else {
        introduce(session, address, door)?;
    }
    tell_serving(session, local);
    if arguments.demo {
        cafe::suggest(session);
    }
    tracing::info!(%address, "selfmade {} serves at {address}", env!("CARGO_PKG_VERSION"));
    tokio::spawn(settle(ctx.clock.clone()));
    let drain_seconds = config.drain.as_secs();
    server::serve(bound, |under_way| tell_stopping(session, under_way, drain_seconds)).await;
    session.output.note("stopped");
    tracing::info!("stopped");
    Ok(Exit::Done)
}

fn tell_serving(session: &Session, local: &Local) {
    let (database, roles, at_once) = (&local.database, &local.serve.roles, local.ctx.engine.config().at_once);
    let what = if *roles == Roles::default() {
        format!("executes queued, triggered and scheduled runs, {at_once} at once")
    } else {
        format!("as {roles}")
    };
    session.output.note(format!("serving {database}: {what}; Ctrl-C or SIGTERM stops it"));
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
        url: announcement::url(address),
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
    let url = announcement::url(address);
    let sign_in = format!("{url}{}", door.sign_in_path()?);
    let ready = Ready { pid: std::process::id(), url, sign_in };
    let line = serde_json::to_string(&ready).map_err(|source| Error::Json { source })?;
    session.output.data(&format!("{line}\n"))
}

/// Says where it listens, and how a browser gets in.
fn introduce(session: &Session, address: SocketAddr, door: &Door) -> Result<(), Error> {
    let url = announcement::url(address);
    session.output.note(format!("listening at {url}"));
    session.output.note(format!("sign in (works once, within a day): {url}{}", door.sign_in_path()?));
    if !address.ip().is_loopback() {
        session
            .output
            .note("it is reachable from the network without encryption: put a TLS proxy in front of it");
    }
    Ok(())
}

fn tell_stopping(session: &Session, under_way: usize, seconds: u64) {
    tracing::info!(runs.under_way = under_way, "stopping: {under_way} runs have {seconds} s to end");
    if under_way > 0 {
        let runs = counted(under_way, "run");
        session
            .output
            .note(format!("waiting up to {seconds} s for {runs} to end; a second signal ends them now"));
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
