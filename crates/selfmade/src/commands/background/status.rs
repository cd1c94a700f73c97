//! `selfmade status`: whether a server of the data folder runs, how it does, and what needs a person.

use jiff::Timestamp;
use serde::Serialize;
use server::app::operations::attention::Attention;
use server::app::operations::nodes::NodeView;
use server::clock::Clock;
use server::http_client::HttpClient;
use server::serve::announcement::Announcement;
use server::serve::control;
use store::Location;

use super::{find, log_file};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::style::{DIM, TITLE, paint};
use crate::terminal::time;
use crate::views;

/// Show whether a server of this brain is running, its health, and what needs attention
///
/// Names schedules and triggers that keep failing, questions and changesets that wait, and environments that cannot be built.
/// Exit code 4 means that no server is running.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  selfmade status\n  selfmade status --json\n  selfmade --server https://brain.example status"
)]
pub(crate) struct Arguments {}

#[derive(Debug, Serialize)]
struct Status {
    running: bool,
    #[serde(flatten)]
    server: Option<Server>,
    /// Absent if there is no brain yet, or if it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    attention: Option<Attention>,
}

#[derive(Debug, Serialize)]
struct Server {
    pid: u32,
    url: String,
    version: String,
    started_at: Timestamp,
    uptime_seconds: u64,
    /// Absent if it does not answer.
    runs_under_way: Option<usize>,
    stopping: bool,
    /// Why it cannot write anything now.
    degraded: Option<String>,
    /// Why it does not answer.
    problem: Option<String>,
    log: String,
    /// All servers of the brain.
    nodes: Vec<NodeView>,
}

pub(crate) async fn run(session: &Session) -> Result<Exit, Error> {
    if session.settings.server.is_some() {
        return elsewhere(session).await;
    }
    let Some(found) = find(session)? else {
        let attention = if has_brain(session)? { Some(attention(session).await?) } else { None };
        let status = Status { running: false, server: None, attention };
        show(session, &status, "not running\n")?;
        return Ok(Exit::NotFound);
    };
    let server = look(session, &session.http_client()?, found).await;
    let is_well = server.problem.is_none() && server.degraded.is_none();
    // What is wrong with the server is said even if the brain cannot be read.
    let attention = if is_well { Some(attention(session).await?) } else { None };
    let head = shown(&server);
    show(session, &Status { running: true, server: Some(server), attention }, &head)?;
    Ok(if is_well { Exit::Done } else { Exit::Unavailable })
}

fn show(session: &Session, status: &Status, head: &str) -> Result<(), Error> {
    let program = &session.settings.program;
    session.output.answer(status, |screen| {
        let attention = status.attention.as_ref();
        let attention = attention.map(|attention| views::attention::render(attention, program, screen));
        format!("{head}{}", attention.unwrap_or_default())
    })
}

/// Looking does not create one.
fn has_brain(session: &Session) -> Result<bool, Error> {
    let home = &session.settings.home.path;
    Ok(home.is_dir()
        && match session.settings.config(home)?.database {
            Location::Sqlite(file) => file.exists(),
            Location::Postgres(_) => true,
        })
}

async fn attention(session: &Session) -> Result<Attention, Error> {
    let brain = session.open().await?;
    let attention = brain.attention().await;
    brain.close().await;
    attention
}

/// A server on another machine, as far as its API tells.
#[derive(Debug, Serialize)]
struct Elsewhere {
    running: bool,
    url: String,
    version: String,
    revision: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    degraded: Option<String>,
    attention: Attention,
}

async fn elsewhere(session: &Session) -> Result<Exit, Error> {
    let brain = session.open().await?;
    session.introduce(&brain);
    let holds = brain.holds().await?;
    let status = Elsewhere {
        running: true,
        url: session.settings.server.as_ref().map(|server| server.url.clone()).unwrap_or_default(),
        version: holds.version,
        revision: holds.revision.0,
        degraded: holds.degraded,
        attention: brain.attention().await?,
    };
    let is_well = status.degraded.is_none();
    session.output.answer(&status, |screen| {
        let state = match &status.degraded {
            Some(why) => format!("running, but degraded: {why}"),
            None => "running".to_owned(),
        };
        let fields = [
            ("url", status.url.clone()),
            ("version", status.version.clone()),
            ("revision", status.revision.to_string()),
        ];
        let attention = views::attention::render(&status.attention, &session.settings.program, screen);
        format!("{}\n{}{attention}", paint(TITLE, state), fields.iter().map(field).collect::<String>())
    })?;
    Ok(if is_well { Exit::Done } else { Exit::Unavailable })
}

fn field((name, value): &(&str, String)) -> String {
    format!("  {}  {value}\n", paint(DIM, format!("{name:<8}")))
}

async fn look(session: &Session, client: &HttpClient, found: Announcement) -> Server {
    let answer = control::status(client, &found).await;
    let uptime = Clock::System.now().duration_since(found.started_at).as_secs();
    let (mut told, problem) = match answer {
        Ok(told) => (Some(told), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let nodes = told.as_mut().map(|told| std::mem::take(&mut told.nodes)).unwrap_or_default();
    Server {
        pid: found.pid,
        url: found.url,
        version: found.version,
        started_at: found.started_at,
        uptime_seconds: u64::try_from(uptime).unwrap_or_default(),
        runs_under_way: told.as_ref().map(|told| told.runs_under_way),
        stopping: told.as_ref().is_some_and(|told| told.stopping),
        degraded: told.and_then(|told| told.degraded),
        problem,
        log: log_file(session).display().to_string(),
        nodes,
    }
}

fn shown(server: &Server) -> String {
    let state = match (&server.problem, server.stopping) {
        (Some(problem), _) => format!("running, but {problem}"),
        (None, _) if server.degraded.is_some() => {
            format!("running, but degraded: {}", server.degraded.as_deref().unwrap_or_default())
        }
        (None, true) => "stopping".to_owned(),
        (None, false) => "running".to_owned(),
    };
    let runs = server.runs_under_way.map(|runs| format!("{runs} under way")).unwrap_or_default();
    let fields = [
        ("process", server.pid.to_string()),
        ("url", server.url.clone()),
        ("version", server.version.clone()),
        ("up", up(server.uptime_seconds)),
        ("runs", runs),
        ("log", server.log.clone()),
    ];
    let lines = fields.iter().filter(|(_, value)| !value.is_empty());
    let nodes = if server.nodes.len() > 1 { shown_nodes(&server.nodes) } else { String::new() };
    format!("{}\n{}{nodes}", paint(TITLE, state), lines.map(field).collect::<String>())
}

/// Only where there are others.
fn shown_nodes(nodes: &[NodeView]) -> String {
    let width = nodes.iter().map(|node| node.name.chars().count()).max().unwrap_or_default();
    let line = |node: &NodeView| {
        let state = match (node.this, node.alive) {
            (true, _) => ", this one".to_owned(),
            (false, true) => String::new(),
            (false, false) => format!(", not seen since {}", node.seen_at),
        };
        let (name, roles) = (&node.name, node.roles.join(", "));
        format!("  {name:<width$}  {} under way  {}{state}\n", node.runs, paint(DIM, roles))
    };
    format!("{}\n{}", paint(TITLE, "servers"), nodes.iter().map(line).collect::<String>())
}

/// Whole seconds are known.
fn up(seconds: u64) -> String {
    match seconds {
        0 => "less than a second".to_owned(),
        seconds => time::took(seconds.saturating_mul(1_000_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_has_just_started_is_up() {
        assert_eq!([0, 1, 185].map(up), ["less than a second", "1.0 s", "3 min 5 s"]);
    }
}
