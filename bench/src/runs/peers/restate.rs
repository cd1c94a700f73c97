//! Restate: its server on this machine, a service in Python beside it, called over HTTP from here.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::super::Arguments;
use super::super::report::{Report, Work};
use super::super::world::Place;
use super::ingress::Caller;
use crate::measure::{Times, human};
use crate::{load, script};

pub(crate) const RESTATE: &str = "Restate 1.7.12";
/// As many as most machines that run this have processors.
const WORKERS: &str = "2";
const STARTUP_TIMEOUT: Duration = Duration::from_secs(60);

pub(super) async fn measure(report: &mut Report, place: &Place, all: &Arguments) -> anyhow::Result<()> {
    let server = all.peers.restate_server.as_ref().context("no `--restate-server` was given")?;
    let python = all.peers.restate_python.as_ref().context("no `--restate-python` was given")?;
    load::tell(RESTATE)?;
    let restate = Restate::start(server, python, &place.folder.join("restate")).await?;
    let (ports, flushes) = (&restate.ports, &restate.flushes);
    let budget = Duration::from_secs(all.peers.peer_seconds);
    report.beside(Work::Add, RESTATE, alone(ports, "add", &json!({ "a": 16, "b": 2 }), budget).await?);
    let chain = alone(ports, "deep", &json!({ "value": 1, "levels": 10 }), budget / 2).await?;
    report.beside(Work::ChainOf10, RESTATE, chain);
    let (rate, times) = crowd(ports, all.callers, budget).await?;
    report.rate(Work::AtOnce, RESTATE, rate);
    report.term(format!(
        "{RESTATE} isolates nothing and is called over HTTP on a kept connection: its server and a Python service on {WORKERS} \
         workers of Hypercorn; {flushes}; {} at once: p50 {}, p99 {}",
        all.callers,
        human(times.percentile(50)),
        human(times.percentile(99))
    ));
    Ok(())
}

/// The server and its service; both end with this.
pub(crate) struct Restate {
    ports: Ports,
    /// What it flushes, in its own words.
    pub(crate) flushes: String,
    _service: Server,
    _server: Server,
}

impl Restate {
    pub(crate) async fn start(server: &Path, python: &Path, home: &Path) -> anyhow::Result<Restate> {
        fs::create_dir_all(home)?;
        let ports = Ports::free()?;
        let settings = ports.write_settings(home)?;
        let flushes = flushes(server, &settings)?;
        let mut command = Command::new(server);
        let server = Server::start(command.arg("--no-logo").arg("--config-file").arg(&settings), home)?;
        let service = Server::start(&mut service(python, ports.service)?, home)?;
        ports.deploy().await?;
        Ok(Restate { ports, flushes, _service: service, _server: server })
    }

    pub(crate) async fn caller(&self) -> anyhow::Result<Caller> {
        Caller::connect(self.ports.ingress).await
    }
}

async fn alone(ports: &Ports, handler: &str, body: &Value, budget: Duration) -> anyhow::Result<Times> {
    const MOST: usize = 1_000;
    let mut caller = Caller::connect(ports.ingress).await?;
    let path = format!("/Adder/{handler}");
    for _ in 0..20 {
        caller.post(&path, body).await?;
    }
    let (mut times, begun) = (Times::default(), Instant::now());
    while times.0.len() < MOST && begun.elapsed() < budget {
        let start = Instant::now();
        caller.post(&path, body).await?;
        times.0.push(start.elapsed());
    }
    Ok(times)
}

/// Completed calls a second, and how long each took.
async fn crowd(ports: &Ports, callers: usize, budget: Duration) -> anyhow::Result<(f64, Times)> {
    let mut running = JoinSet::new();
    let begun = Instant::now();
    for n in 0..callers {
        let mut caller = Caller::connect(ports.ingress).await?;
        running.spawn(async move {
            let mut times = Vec::new();
            while begun.elapsed() < budget {
                let start = Instant::now();
                caller.post("/Adder/add", &json!({ "a": n, "b": times.len() })).await?;
                times.push(start.elapsed());
            }
            anyhow::Ok(times)
        });
    }
    let mut times = Times::default();
    while let Some(done) = running.join_next().await {
        times.0.extend(done??);
    }
    Ok((times.0.len() as f64 / begun.elapsed().as_secs_f64(), times))
}

struct Ports {
    nodes: u16,
    admin: u16,
    ingress: u16,
    service: u16,
}

impl Ports {
    fn free() -> anyhow::Result<Ports> {
        // All held at once, so that they differ.
        let held: Vec<TcpListener> =
            (0..4).map(|_| TcpListener::bind(("127.0.0.1", 0))).collect::<Result<_, _>>()?;
        let port = |n: usize| held[n].local_addr().map(|address| address.port());
        Ok(Ports { nodes: port(0)?, admin: port(1)?, ingress: port(2)?, service: port(3)? })
    }

    fn write_settings(&self, home: &Path) -> anyhow::Result<std::path::PathBuf> {
        let settings = home.join("restate.toml");
        let text = format!(
            "node-name = \"bench\"\nbase-dir = \"{}\"\nbind-address = \"127.0.0.1:{}\"\nadvertised-host = \"127.0.0.1\"\n\
             listen-mode = \"tcp\"\ndisable-telemetry = true\nlog-filter = \"off\"\n\
             [admin]\nbind-address = \"127.0.0.1:{}\"\n[ingress]\nbind-address = \"127.0.0.1:{}\"\n",
            home.join("data").display(),
            self.nodes,
            self.admin,
            self.ingress
        );
        fs::write(&settings, text)?;
        Ok(settings)
    }

    /// Tells the server where the service is, as soon as both are up.
    async fn deploy(&self) -> anyhow::Result<()> {
        let body = json!({ "uri": format!("http://127.0.0.1:{}", self.service) });
        let begun = Instant::now();
        loop {
            let told = async { Caller::connect(self.admin).await?.post("/deployments", &body).await };
            match told.await {
                Ok(_) => return Ok(()),
                Err(error) if begun.elapsed() > STARTUP_TIMEOUT => {
                    return Err(error.context("Restate does not start"));
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
            }
        }
    }
}

fn service(python: &Path, port: u16) -> anyhow::Result<Command> {
    let script = script::path("restate_service.py");
    let folder = script.parent().context("the service lies in a folder")?;
    let mut command = Command::new(std::path::absolute(python)?);
    command
        .args(["-m", "hypercorn", "--bind", &format!("127.0.0.1:{port}"), "--workers", WORKERS])
        .arg("restate_service:app")
        .current_dir(folder)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(command)
}

/// Whether its logs are flushed, in its own words.
fn flushes(server: &Path, settings: &Path) -> anyhow::Result<String> {
    let output = Command::new(server).arg("--config-file").arg(settings).arg("--dump-config").output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("disable-wal-fsync")).collect();
    ensure!(!lines.is_empty(), "Restate does not say whether it flushes");
    if lines.iter().any(|line| line.ends_with("true")) {
        bail!("Restate is set not to flush");
    }
    Ok(format!("{} in both of its logs, as shipped", lines[0].trim()))
}

/// A program that is ended with this.
struct Server(Child);

impl Server {
    fn start(command: &mut Command, home: &Path) -> anyhow::Result<Server> {
        let log = fs::OpenOptions::new().create(true).append(true).open(home.join("log"))?;
        let child = command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn();
        Ok(Server(child.with_context(|| format!("cannot start {:?}", command.get_program()))?))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Asked, not killed: it takes its own workers with it.
        let asked = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status();
        if !asked.is_ok_and(|status| status.success()) {
            self.0.kill().ok();
        }
        self.0.wait().ok();
    }
}
