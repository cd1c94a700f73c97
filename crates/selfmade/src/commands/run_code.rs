//! `selfmade run-code`: a Python script, once, without storing it.

use std::collections::BTreeMap;

use model::name::EntryName;
use serde_json::Value;
use server::app::runs::code::RUN_CODE;

use super::budget::BudgetArguments;
use super::run::{execute, milliseconds, named, queue};
use crate::client::{Brain, CodeRun, FunctionRun, Start};
use crate::error::{Error, Exit};
use crate::files;
use crate::session::Session;

/// Run a Python script that may call stored functions
///
/// The result is the last expression, or what `return` gives. Stored functions are called by their names, without
/// imports. The run is recorded; `selfmade runs show` shows the script.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade run-code script.py
  echo 'word_count(text) * 2' | selfmade run-code - --arg text='one two'
  selfmade run-code fetch.py --grants '{\"network\": [\"example.com\"]}'
  selfmade run-code report.py --queue        run it later")]
pub(crate) struct Arguments {
    /// A file with the script; - is standard input
    file: String,
    /// A variable of the script, as JSON or text; @FILE is the content of a file, and @@ begins a text with @
    #[arg(long = "arg", short, value_name = "NAME=VALUE")]
    named: Vec<String>,
    /// Read the variables from a file with a JSON object
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// What the script may reach and its limits, as a JSON object of what a function declares
    #[arg(long, value_name = "JSON", value_parser = grants)]
    grants: Option<Grants>,
    /// What the run is called
    #[arg(long, value_name = "NAME", default_value = RUN_CODE)]
    name: EntryName,
    /// Queue it instead of running it now, and print its id
    #[arg(long)]
    queue: bool,
    /// Start at most one run with this key; a repeated request returns that run
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    /// Leave the runs that this run triggers for later
    #[arg(long)]
    no_triggers: bool,
    /// The time limit in seconds
    #[arg(long, value_name = "SECONDS", value_parser = milliseconds)]
    timeout: Option<u64>,
    #[command(flatten)]
    budget: BudgetArguments,
}

#[derive(Clone, Debug)]
struct Grants(BTreeMap<String, Value>);

fn grants(text: &str) -> Result<Grants, String> {
    let example = "write an object such as {\"network\": [\"example.com\"]}";
    serde_json::from_str(text).map(Grants).map_err(|error| format!("{error}; {example}"))
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let is_stdin = |file: Option<&str>| file == Some(files::STDIN);
    if is_stdin(Some(&arguments.file))
        && (is_stdin(arguments.input.as_deref()) || arguments.named.iter().any(|pair| pair.ends_with("=@-")))
    {
        return Err(Error::Input {
            problem: "standard input can be read only once".to_owned(),
            hint: "write the script or the other value to a file, and name it".to_owned(),
        });
    }
    let script = files::read_text(&arguments.file)?;
    let grants = arguments.grants.map(|grants| grants.0).unwrap_or_default();
    let input = named(arguments.input.as_deref(), &arguments.named, None)?;
    let run = FunctionRun {
        code: Some(CodeRun { script, grants }),
        timeout_ms: arguments.timeout,
        budget: Some(arguments.budget.limits()).filter(|limits| !limits.is_empty()),
        ..FunctionRun::new(arguments.name, input)
    };
    let start = Start::Function { run: Box::new(run), key: arguments.idempotency_key };
    if arguments.queue {
        return queue(session, brain, &start).await;
    }
    execute(session, brain, &start, !arguments.no_triggers).await
}
