//! `selfmade do`: what is asked for is done, with a function that is found or built.

use serde_json::Value;

use super::{Limits, build, running};
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::style::printable;
use crate::views::run as run_view;

/// Do what is asked: find or build a function for it, and run it
///
/// The result goes to standard output, what happens to standard error; with --json, each step is a line of JSON and
/// the run is the last. Exit code 7 means that it could not be done.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade do 'how many words has \"to be or not to be\"?'
  selfmade do 'the titles of https://blog.example/feed.xml' --allow-host blog.example")]
pub(crate) struct Arguments {
    /// What shall be done, in plain words, with its data
    request: String,
    #[command(flatten)]
    limits: Limits,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let mut input = arguments.limits.arguments(session);
    input.insert("request".to_owned(), arguments.request.into());
    let run = running::run(session, brain, "do", input, arguments.limits.budget.limits()).await?;
    let Some(account) = build::account(session, &run)? else { return run_view::ended(&session.output, &run) };
    let output = &session.output;
    let error = account["error"].as_str().unwrap_or_default();
    if !error.is_empty() {
        output.report(&format!("it could not be done: {}\n", printable(error)));
        return Ok(Exit::RunFailed);
    }
    output.note(printable(account["says"].as_str().unwrap_or_default()));
    if !output.json {
        output.raw(&text(&account["result"]))?;
    }
    Ok(Exit::Done)
}

/// Text as it is, everything else as JSON.
fn text(result: &Value) -> String {
    match result {
        Value::Null => String::new(),
        Value::String(text) => format!("{text}\n"),
        value => format!("{value:#}\n"),
    }
}
