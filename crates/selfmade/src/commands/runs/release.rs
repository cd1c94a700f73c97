//! `selfmade runs release`: a run goes on from a breakpoint.

use model::graph::patch::LinkKey;
use model::graph::run_options::BreakAt;
use model::run::{Run, Waiting};
use serde_json::{Value, json};

use super::Reference;
use crate::client::{Brain, Release};
use crate::commands::graph::pins::link;
use crate::error::{Error, Exit};
use crate::files;
use crate::session::Session;
use crate::views::run;
use crate::worker::Worker;

/// Let a run go on from a breakpoint, and follow it until it stands again or ends
///
/// Everything that is held is released, or one node, or the oldest value on one link. It goes on to the next breakpoint.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade runs release 391ab633
  selfmade runs release 391ab633 summarize --value '{\"text\": \"shorter\"}'
  selfmade runs release 391ab633 --link fetch.output=parse.text --value null
  selfmade runs release 391ab633 --step          and stop at every node from now on
  selfmade runs release 391ab633 --to-the-end    and stop nowhere from now on
  selfmade runs cancel 391ab633                  abort it")]
pub(crate) struct Arguments {
    /// The id of the run, or the beginning or end of it
    #[arg(value_name = "ID")]
    run: Reference,
    /// Only this node
    #[arg(value_name = "NODE")]
    node: Option<String>,
    /// Only the oldest value on this link
    #[arg(long, value_name = "FROM.PIN=TO.PIN", value_parser = link, conflicts_with = "node")]
    link: Option<LinkKey>,
    /// Hand this on instead, as JSON; @FILE reads it from a file. For a node it is an object with a value for each pin
    #[arg(long, value_name = "JSON")]
    value: Option<String>,
    /// Stop at every node from now on
    #[arg(long)]
    step: bool,
    /// Stop nowhere from now on
    #[arg(long, conflicts_with = "step")]
    to_the_end: bool,
    /// Do not follow it
    #[arg(long)]
    no_wait: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let id = arguments.run.id(brain).await?;
    let stepwise = arguments.step.then(|| BreakAt { everywhere: true, ..BreakAt::default() });
    let release = Release {
        node: arguments.node,
        link: arguments.link,
        value: arguments.value.as_deref().map(json_of).transpose()?,
        breakpoints: stepwise.or_else(|| arguments.to_the_end.then(BreakAt::default)),
    };
    brain.release(id, &release).await?;
    if arguments.no_wait {
        session.output.answer(&json!({ "run_id": id, "released": true }), |_| String::new())?;
        let who = if brain.is_remote() { "the server" } else { "`selfmade serve`" };
        session.output.note(format!("released; {who} will continue the run"));
        return Ok(Exit::Done);
    }
    let worker = brain.local().map(|local| Worker::begin(&local.ctx));
    let run = stands_again(brain, id).await?;
    if let Some(worker) = worker {
        worker.end().await;
    }
    run::ended(&session.output, &run)
}

fn json_of(text: &str) -> Result<Value, Error> {
    let text = match text.strip_prefix('@') {
        Some(file) => files::read_text(file)?,
        None => text.to_owned(),
    };
    serde_json::from_str(&text).map_err(|error| Error::Input {
        problem: format!("the value is not valid JSON: {error}"),
        hint: "quote it for the shell, such as --value '\"text\"' or --value '{\"n\": 1}'".to_owned(),
    })
}

/// As it is when it has ended, or waits for a person or at a breakpoint.
async fn stands_again(brain: &Brain, id: model::ids::RunId) -> Result<Run, Error> {
    let mut events = brain.follow(id).await?;
    while let Some(event) = events.next().await? {
        if event.event == "printed" {
            let chunk: model::run::output::OutputChunk = brain.data(&event)?;
            run::print(&chunk.text);
        }
        if event.event != "state" {
            continue;
        }
        let run: Run = brain.data(&event)?;
        let stands = matches!(run.waiting, Some(Waiting::Person { .. } | Waiting::Breakpoints { .. }));
        if run.state.is_final() || stands {
            return Ok(run);
        }
    }
    Err(brain.broke_off())
}
