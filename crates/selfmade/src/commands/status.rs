//! `selfmade` alone: which brain this is, what it holds, what happened last, and what to try next.

use serde::Serialize;
use server::app::changesets::ChangesetLine;
use server::app::operations::attention::Attention;

use super::log;
use crate::client::{Brain, Listed};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::output::Screen;
use crate::terminal::style::{DIM, NAME, TITLE, counted, paint};
use crate::views::attention;

const RECENT: u32 = 3;

/// The Pack to begin with.
const FIRST_PACK: &str = "core";

#[derive(Serialize)]
struct Status {
    version: &'static str,
    home: String,
    home_why: String,
    database: String,
    /// By a server that was found beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    served_at: Option<String>,
    created: bool,
    revision: u64,
    functions: u64,
    graphs: u64,
    triggers: u64,
    schedules: u64,
    packs: u64,
    secrets: u64,
    /// Why nothing can be written now.
    #[serde(skip_serializing_if = "Option::is_none")]
    degraded: Option<String>,
    attention: Attention,
    log: Vec<ChangesetLine>,
    /// The first function, to try things with.
    #[serde(skip)]
    example: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain) -> Result<Exit, Error> {
    let status = status(session, brain).await?;
    session.output.answer(&status, |screen| render(session, &status, screen))?;
    Ok(Exit::Done)
}

async fn status(session: &Session, brain: &Brain) -> Result<Status, Error> {
    let holds = brain.holds().await?;
    let first = brain.functions(&Listed::default(), 1).await?.pop();
    let (home, home_why, database, created) = match brain {
        Brain::Local(local) => {
            let home = &session.settings.home;
            (home.path.display().to_string(), home.why.to_string(), local.database.clone(), local.is_new)
        }
        Brain::Remote(remote) if remote.found.is_some() => {
            let home = &session.settings.home;
            (home.path.display().to_string(), home.why.to_string(), session.database()?, false)
        }
        Brain::Remote(remote) => {
            let version = format!("the server is version {}", holds.version);
            (remote.url.clone(), session.server_why().to_owned(), version, false)
        }
    };
    Ok(Status {
        version: env!("CARGO_PKG_VERSION"),
        home,
        home_why,
        database,
        served_at: served_at(brain),
        created,
        revision: holds.revision.0,
        functions: holds.functions,
        graphs: holds.graphs,
        triggers: holds.triggers,
        schedules: holds.schedules,
        packs: holds.packs,
        secrets: holds.secrets,
        degraded: holds.degraded,
        attention: brain.attention().await?,
        log: brain.changesets(None, true, None, RECENT).await?,
        example: first.map(|entry| entry.key.name.to_string()),
    })
}

fn served_at(brain: &Brain) -> Option<String> {
    match brain {
        Brain::Remote(remote) if remote.found.is_some() => Some(remote.url.clone()),
        _ => None,
    }
}

fn render(session: &Session, status: &Status, screen: &Screen) -> String {
    let mut out = format!("{} {}\n\n", paint(TITLE, "selfmade"), status.version);
    let mut field = |name: &str, value: &str, aside: &str| {
        let aside = if aside.is_empty() { String::new() } else { paint(DIM, format!("  ({aside})")) };
        out.push_str(&format!("  {}  {value}{aside}\n", paint(DIM, format!("{name:<8}"))));
    };
    let made = if status.created { "; created just now" } else { "" };
    field("brain", &status.home, &format!("{}{made}", status.home_why));
    let served = status.served_at.as_ref().map(|url| format!("served at {url}")).unwrap_or_default();
    field("database", &status.database, &served);
    field("revision", &status.revision.to_string(), "");
    field("holds", &holds(status), "");
    if let Some(why) = &status.degraded {
        field("degraded", why, "");
    }
    if let Some((count, command)) = attention::counted_line(&status.attention, &session.settings.program) {
        field("needs", &format!("attention: {count}"), &command);
    }
    if !status.log.is_empty() {
        out.push_str(&format!("\n{}\n", paint(TITLE, "Last changes")));
        out.push_str(&indented(&log::table(&status.log, &screen.indented(2))));
    }
    out.push_str(&format!("\n{}\n", paint(TITLE, "Try next")));
    out.extend(tries(session, status).iter().map(|(command, why)| suggestion(command, why)));
    out
}

fn holds(status: &Status) -> String {
    let counts = [
        (status.functions, "function"),
        (status.graphs, "graph"),
        (status.triggers, "trigger"),
        (status.schedules, "schedule"),
        (status.packs, "pack"),
        (status.secrets, "secret"),
    ];
    let told: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| counted(*count as usize, noun))
        .collect();
    if told.is_empty() { "nothing yet".to_owned() } else { told.join(" · ") }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn suggestion(command: &str, why: &str) -> String {
    format!("  {}\n    {}\n", paint(DIM, why), paint(NAME, command))
}

/// Commands that work as they stand, here and now.
fn tries(session: &Session, status: &Status) -> Vec<(String, &'static str)> {
    let program = &session.settings.program;
    let mut tries = Vec::new();
    if status.example.is_none() {
        let source = "def greet(name: str): return f\"Hello, {name}\"";
        tries.push((format!("echo '{source}' | {program} fn add -"), "add a function"));
    }
    if status.packs == 0 {
        tries.push((format!("{program} pack load {FIRST_PACK}"), "load the functions of a pack"));
    }
    if let Some(name) = &status.example {
        tries.push((format!("{program} fn show {name}"), "look at a function"));
        tries.push((format!("{program} search {}", first_word(name)), "find functions"));
        tries.push((format!("{program} log"), "see how the brain changed"));
    }
    tries.push((format!("{program} --help"), "see everything else"));
    tries
}

fn first_word(name: &str) -> &str {
    name.split(['.', '_']).find(|word| !word.is_empty()).unwrap_or(name)
}
