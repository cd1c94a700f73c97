//! A run of the agent: started with the pack that it is part of, and followed until it ends.

use std::io::IsTerminal;
use std::path::Path;

use model::budget;
use model::name::EntryName;
use model::run::Run;
use serde_json::{Map, Value, json};
use server::http::FileBody;

use super::Limits;
use crate::client::{Brain, FunctionRun, PackLoad, Start};
use crate::commands::run::watch;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::shipped::{self, Shipped};
use crate::terminal::progress::Progress;
use crate::views::agent;
use crate::views::run::Live;
use crate::worker::Worker;

const PACK: &str = "agent";

impl Limits {
    /// As the functions of the agent take it.
    pub(super) fn arguments(&self, session: &Session) -> Map<String, Value> {
        let allowed = json!({
            "network": self.allow_host, "secrets": self.allow_secret, "packages": self.allow_package,
        });
        let is_interactive = !session.output.json && std::io::stdin().is_terminal();
        let arguments = [
            ("allowed", allowed),
            ("most_calls", self.most_calls.into()),
            ("interactive", is_interactive.into()),
        ];
        arguments.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// Runs a function of the agent to its end, and shows what it reports: as sentences, or each report as a line of JSON.
pub(super) async fn run(
    session: &Session,
    brain: &Brain,
    function: &str,
    input: Map<String, Value>,
    budget: budget::Limits,
) -> Result<Run, Error> {
    let function = EntryName::new(function).map_err(server::Error::from)?;
    ensure_pack(session, brain, &function).await?;
    let budget = Some(budget).filter(|limits| !limits.is_empty());
    let run = FunctionRun { budget, ..FunctionRun::new(function, input) };
    let worker = brain.local().map(|local| Worker::begin(&local.ctx));
    let mut events = brain.start(&Start::Function { run: Box::new(run), key: None }).await?;
    let mut reports = Reports::new(session);
    let run = watch(session, brain, &mut events, &mut |live, text| reports.print(live, text)).await?;
    if let Some(worker) = worker {
        worker.end().await;
    }
    Ok(run)
}

/// A function that somebody put in the place of the pack's is used as it is.
async fn ensure_pack(session: &Session, brain: &Brain, function: &EntryName) -> Result<(), Error> {
    match brain.callable(function, None).await {
        Ok(_) => return Ok(()),
        Err(error) if error.exit() == Exit::NotFound => {}
        Err(error) => return Err(error),
    }
    let pack = shipped::named(Path::new(PACK)).ok_or_else(|| Error::Input {
        problem: format!("this program does not come with the pack `{PACK}`"),
        hint: "install a complete release".to_owned(),
    })?;
    let loaded = {
        let _progress = Progress::start(&session.output, "loading the agent, running its tests");
        let load = PackLoad {
            name: PACK.to_owned(),
            origin: Shipped::origin(),
            files: pack.files().into_iter().map(FileBody::from).collect(),
            prefix: String::new(),
            replace: false,
        };
        brain.load(&load, false).await?
    };
    if let Some(changeset) = loaded.applied.changeset {
        session.output.note(format!(
            "loaded the pack `{PACK}` as changeset {changeset}; `{} changes revert {changeset}` removes it",
            session.settings.program
        ));
    }
    Ok(())
}

/// Takes what a run prints apart into reports and everything else.
struct Reports<'a> {
    session: &'a Session,
    /// The beginning of a line whose end was not printed yet.
    partial: String,
}

impl<'a> Reports<'a> {
    fn new(session: &'a Session) -> Reports<'a> {
        Reports { session, partial: String::new() }
    }

    fn print(&mut self, live: &mut Live, text: &str) {
        self.partial.push_str(text);
        while let Some(end) = self.partial.find('\n') {
            let line: String = self.partial.drain(..=end).collect();
            self.line(live, &line);
        }
    }

    fn line(&self, live: &mut Live, line: &str) {
        let output = &self.session.output;
        let Some(report) = agent::report(line) else { return live.print(line) };
        if output.json {
            // Whoever reads may have seen enough; the run goes on all the same.
            let _ = output.stream(&format!("{report}\n"));
            return;
        }
        if report["agent"] == "cost" {
            return live.say(agent::cost(&report));
        }
        if let Some(text) = agent::text(&report) {
            live.close();
            output.note(text);
        }
    }
}
