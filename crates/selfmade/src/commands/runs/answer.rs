//! `selfmade runs answer`: what a Run asked a person.

use std::io::IsTerminal;

use model::run::Waiting;
use serde_json::json;

use super::Reference;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::run;

/// Answer the question that a run is waiting on
///
/// Give one of the options, by its text or number, or any text if there are none. The run continues on a server.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade runs answer 391ab633 yes
  selfmade runs answer 391ab633          ask at the terminal")]
pub(crate) struct Arguments {
    /// The id of the run, or the beginning or end of it
    #[arg(value_name = "ID")]
    run: Reference,
    /// The answer [default: ask at the terminal]
    value: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let id = arguments.run.id(brain).await?;
    let record = brain.run(id).await?;
    let Some(Waiting::Person { question, .. }) = &record.run.waiting else {
        let answered = record.steps.iter().any(|step| step.answered_by.is_some());
        return Err(server::Error::NothingAsked { run: id, state: record.run.state, answered }.into());
    };
    let value = match arguments.value {
        Some(text) => run::chosen(question, &text),
        None if std::io::stdin().is_terminal() => run::ask(question)?,
        None => {
            return Err(Error::Input {
                problem: format!("run {id} asks: {}", question["question"]),
                hint: format!("answer with `{} runs answer {id} ANSWER`", session.settings.program),
            });
        }
    };
    brain.answer(id, &value).await?;
    session.output.answer(&json!({ "run_id": id, "answer": value }), |_| String::new())?;
    let who = if brain.is_remote() { "the server" } else { "`selfmade serve`" };
    session.output.note(format!("answered {value}; {who} will continue the run"));
    Ok(Exit::Done)
}
