//! `selfmade` alone: which brain this is, what it holds, what happened last, and what to try next.

use model::entry::EntryKind;
use serde::Serialize;
use server::app::{changesets, functions, packs, secrets};
use store::{ChangesetFilter, ChangesetSummary, EntryPage};

use super::log;
use crate::error::{Error, Exit};
use crate::output::Screen;
use crate::session::{Brain, Session};
use crate::style::{DIM, NAME, TITLE, counted, paint};

const RECENT: u32 = 3;

/// The Pack to begin with.
const FIRST_PACK: &str = "core";

#[derive(Serialize)]
struct Status {
    version: &'static str,
    home: String,
    home_why: String,
    database: String,
    created: bool,
    revision: u64,
    functions: u64,
    graphs: u64,
    triggers: u64,
    schedules: u64,
    packs: u64,
    secrets: u64,
    log: Vec<ChangesetSummary>,
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
    let ctx = &brain.ctx;
    let counts = functions::counts(ctx).await?;
    let count =
        |kind: EntryKind| counts.iter().find(|(counted, _)| *counted == kind).map_or(0, |(_, count)| *count);
    let first = EntryPage { kind: EntryKind::Function, after: None, limit: 1 };
    let first = functions::list(ctx, &first, None).await?.pop();
    let filter = ChangesetFilter { applied: true, ..ChangesetFilter::default() };
    Ok(Status {
        version: env!("CARGO_PKG_VERSION"),
        home: session.settings.home.path.display().to_string(),
        home_why: session.settings.home.why.to_string(),
        database: brain.database.clone(),
        created: brain.is_new,
        revision: ctx.store.revision().await?.0,
        functions: count(EntryKind::Function),
        graphs: count(EntryKind::Graph),
        triggers: count(EntryKind::Trigger),
        schedules: count(EntryKind::Schedule),
        packs: packs::list(ctx).await?.len() as u64,
        secrets: secrets::list(ctx).await?.len() as u64,
        log: changesets::list(ctx, &filter, RECENT).await?,
        example: first.map(|entry| entry.key.name.to_string()),
    })
}

fn render(session: &Session, status: &Status, screen: &Screen) -> String {
    let mut out = format!("{} {}\n\n", paint(TITLE, "selfmade"), status.version);
    let mut field = |name: &str, value: &str, aside: &str| {
        let aside = if aside.is_empty() { String::new() } else { paint(DIM, format!("  ({aside})")) };
        out.push_str(&format!("  {}  {value}{aside}\n", paint(DIM, format!("{name:<8}"))));
    };
    let made = if status.created { "; made just now" } else { "" };
    field("brain", &status.home, &format!("{}{made}", status.home_why));
    field("database", &status.database, "");
    field("revision", &status.revision.to_string(), "");
    field("holds", &holds(status), "");
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
