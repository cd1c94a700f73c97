//! `selfmade demo …` and `selfmade serve --demo`: brains with something in them.

mod build;
pub(super) mod cafe;
mod populate;
mod recording;
mod reddit;

use model::graph::GraphContent;
use model::name::EntryName;
use model::run::Run;
use serde_json::Value;

use crate::client::{Brain, Change, Changes, FunctionRun, Start, StreamUpdate};
use crate::error::{Error, Exit};
use crate::session::Session;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Build(build::Arguments),
    Populate(populate::Arguments),
    Reddit(reddit::Arguments),
}

impl Command {
    /// The server that is named as an argument.
    pub(crate) fn url(&self) -> Option<&str> {
        match self {
            Command::Build(_) => None,
            Command::Populate(arguments) => arguments.url.as_deref(),
            Command::Reddit(arguments) => arguments.url.as_deref(),
        }
    }
}

/// The demo that has a brain of its own.
pub(crate) async fn run_apart(session: &Session) -> Result<Exit, Error> {
    build::run(session).await
}

pub(crate) async fn run(session: &Session, brain: &Brain, command: Command) -> Result<Exit, Error> {
    match command {
        Command::Build(_) => run_apart(session).await,
        Command::Populate(_) => populate::run(session, brain).await,
        Command::Reddit(arguments) => reddit::run(session, brain, &arguments).await,
    }
}

fn name(text: &str) -> Result<EntryName, Error> {
    Ok(EntryName::new(text).map_err(server::Error::from)?)
}

/// Stores a graph that is part of the program; one that is stored already stays as it is.
async fn store_graph(brain: &Brain, graph_name: &str, text: &str) -> Result<(), Error> {
    let graph: GraphContent = serde_json::from_str(text).map_err(|error| Error::Input {
        problem: format!("the graph of the demo cannot be read: {error}"),
        hint: "report this: it is a mistake in selfmade".to_owned(),
    })?;
    let change = Change::Graph { name: name(graph_name)?, graph: Box::new(graph) };
    let changes = Changes { title: Some(format!("demo: {graph_name}")), changes: vec![change] };
    brain.register(&changes, false).await.map(drop)
}

/// Its record, however it ends.
async fn start(brain: &Brain, callable: &str, input: Value) -> Result<Option<Run>, Error> {
    let input = input.as_object().cloned().unwrap_or_default();
    let run = FunctionRun::new(name(callable)?, input);
    let mut events = brain.start(&Start::Function { run: Box::new(run), key: None }).await?;
    while let Some(told) = brain.told::<Run>(&mut events).await? {
        if let StreamUpdate::Done(run) = told {
            return Ok(Some(run));
        }
    }
    Ok(None)
}

/// What to type next, and why.
fn tell_commands(session: &Session, commands: &[(&str, &str)]) {
    let program = &session.settings.program;
    for (command, why) in commands {
        session.output.note(format!("  {program} {command}"));
        session.output.aside(format!("    {why}"));
    }
}

/// The end of a run of a demo, in one line.
fn tell_run(session: &Session, run: &Run) {
    let outcome = match (&run.output, &run.error) {
        (_, Some(error)) => format!("failed: {}", error.message),
        (Some(output), None) => format!("returned {output}"),
        (None, None) => format!("is {}", run.state.as_str()),
    };
    session.output.note(format!("run {} of `{}` {outcome}", run.run_id, run.key.name));
}
