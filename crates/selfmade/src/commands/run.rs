//! `selfmade run`: a function, once. Its result goes to standard output, what it prints to standard error, live.

use std::io::IsTerminal;
use std::sync::Arc;

use model::entry::EntryKey;
use model::ids::RunId;
use model::name::EntryName;
use model::run::{Run, RunState, Waiting};
use model::signature::Signature;
use model::version::VersionNumber;
use serde_json::{Map, Value};
use server::app::functions::{self, Which};
use server::app::runs::{self, Input, StartRun, Target};
use server::engine::{self, Stop};

use crate::error::{Error, Exit};
use crate::files;
use crate::prompt;
use crate::run_view::{self, Live};
use crate::session::{ACTOR, Brain, Session};

/// Run a function
///
/// Its result is printed on standard output, as text if it is text and as JSON otherwise; what it prints itself goes to
/// standard error as it comes. Exit code 7 says that the run failed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade run greet --arg name=Ada
  selfmade run add 2 3
  selfmade run summarize --input request.json
  echo '{\"name\": \"Ada\"}' | selfmade run greet --input -
  selfmade run greet@3 --arg name=Ada        an earlier version
  selfmade run report --queue                for later")]
pub(crate) struct Arguments {
    /// The function, or function@VERSION
    function: Reference,
    /// Arguments by position, as JSON or text
    values: Vec<String>,
    /// An argument by name, as JSON or text
    #[arg(long = "arg", short, value_name = "NAME=VALUE")]
    named: Vec<String>,
    /// Read the arguments from a file with a JSON object; - is standard input
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// Queue it instead of running it now, and print its id
    #[arg(long)]
    queue: bool,
    /// A second run with the same key is the first one
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    /// Leave for later what this run triggers
    #[arg(long)]
    no_triggers: bool,
    /// Seconds it may take
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
}

/// A Function, perhaps at a Version.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub(crate) name: EntryName,
    pub(crate) number: Option<VersionNumber>,
}

impl std::str::FromStr for Reference {
    type Err = String;

    fn from_str(text: &str) -> Result<Reference, String> {
        let (name, number) = match text.split_once('@') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        let number = number
            .map(|number| number.parse().map_err(|_| format!("`{number}` is no version; write `name@3`")))
            .transpose()?;
        Ok(Reference { name: name.parse().map_err(|error| format!("{error}"))?, number })
    }
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let ctx = &brain.ctx;
    let key = EntryKey::function(arguments.function.name.clone());
    let which = arguments.function.number.map_or(Which::Live, Which::Number);
    let version = functions::version(ctx, &key, which).await?;
    let signature = version.content.as_function().map(|function| &function.signature);
    let input = input(&arguments, signature)?;
    let target = match arguments.function.number {
        Some(number) => Target::Number(arguments.function.name.clone(), number),
        None => Target::Live(arguments.function.name.clone()),
    };
    let request = StartRun {
        idempotency_key: arguments.idempotency_key.clone(),
        timeout_ms: arguments.timeout.map(|seconds| (seconds * 1000.0) as u64),
        ..StartRun::of(target, input)
    };
    if arguments.queue {
        let run = runs::queue(ctx, &ACTOR, request).await?;
        session.output.answer(&run, |_| format!("{}\n", run.run_id))?;
        session.output.note("queued; `selfmade serve` carries it out");
        return Ok(Exit::Done);
    }
    carry_out(session, brain, request, !arguments.no_triggers).await
}

/// Runs it here, with a worker beside for retries and what it waits for.
pub(crate) async fn carry_out(
    session: &Session,
    brain: &Brain,
    request: StartRun,
    triggers: bool,
) -> Result<Exit, Error> {
    let ctx = &brain.ctx;
    let stop = Stop::default();
    let worker = tokio::spawn(engine::work_until(ctx.clone(), stop.clone()));
    let live = Arc::new(Live::new(&session.output));
    let watching = Arc::clone(&live);
    let id = request.run_id.unwrap_or_else(|| ctx.ids.run());
    let request =
        StartRun { run_id: Some(id), ..request }.watched(move |_, happened| watching.hear(&happened));
    let cancelled = session.interrupts.cancelling();
    let running = async {
        let mut run = runs::start(ctx, &ACTOR, request).await?;
        while run.state == RunState::Waiting {
            run = attend(brain, run).await?;
        }
        Ok::<Run, Error>(run)
    };
    tokio::pin!(running);
    let run = tokio::select! {
        run = &mut running => run,
        () = cancelled.cancelled() => {
            cancel(brain, id).await;
            running.await
        }
    };
    live.close();
    let run = run?;
    let exit = run_view::ended(&session.output, &run)?;
    if triggers && run.state == RunState::Succeeded {
        // What it triggers belongs to what was asked for.
        match server::triggers::drain(ctx).await? {
            0 => {}
            1 => session.output.note("it triggered 1 run"),
            count => session.output.note(format!("it triggered {count} runs")),
        }
    }
    // What was queued by others and taken here is carried to its end.
    stop.taking.cancel();
    // A worker that panicked has been reported; there is nothing more to do for it here.
    let _ = worker.await;
    Ok(exit)
}

async fn cancel(brain: &Brain, id: RunId) {
    // It may have ended by itself meanwhile.
    let _ = runs::cancel(&brain.ctx, &ACTOR, id).await;
}

/// A run that waits for a person asks the one at the terminal.
async fn attend(brain: &Brain, run: Run) -> Result<Run, Error> {
    let ctx = &brain.ctx;
    if let Some(Waiting::Person { question, .. }) = &run.waiting {
        if !std::io::stdin().is_terminal() {
            return Err(Error::Input {
                problem: format!("run {} asks: {}", run.run_id, question["question"]),
                hint: format!("answer with `selfmade runs answer {} ANSWER`", run.run_id),
            });
        }
        let answer = prompt::question(&run_view::question(question))?;
        runs::answer(ctx, &ACTOR, run.run_id, run_view::chosen(question, &answer)).await?;
    }
    Ok(runs::wait_past(ctx, &run).await?)
}

fn input(arguments: &Arguments, signature: Option<&Signature>) -> Result<Input, Error> {
    let named = named(arguments.input.as_deref(), &arguments.named, signature)?;
    let schemas = signature.map(|signature| signature.parameters.as_slice()).unwrap_or_default();
    let positional = arguments
        .values
        .iter()
        .enumerate()
        .map(|(place, value)| value_of(value, schemas.get(place).map(|parameter| &parameter.schema)));
    Ok(Input { positional: positional.collect(), named })
}

/// Arguments by name: those of a file, and over them those of the command line.
pub(crate) fn named(
    file: Option<&str>,
    pairs: &[String],
    signature: Option<&Signature>,
) -> Result<Map<String, Value>, Error> {
    let mut named = file.map(object).transpose()?.unwrap_or_default();
    for pair in pairs {
        let Some((name, value)) = pair.split_once('=') else {
            return Err(Error::Input {
                problem: format!("`{pair}` is no argument"),
                hint: "write `--arg NAME=VALUE`".to_owned(),
            });
        };
        named.insert(name.to_owned(), value_of(value, schema_of(signature, name)));
    }
    Ok(named)
}

fn object(file: &str) -> Result<Map<String, Value>, Error> {
    let text = files::read_text(file)?;
    match serde_json::from_str(&text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Error::Input {
            problem: format!("`{file}` holds no JSON object"),
            hint: "write the arguments by name: {\"name\": …}".to_owned(),
        }),
        Err(error) => Err(Error::Input {
            problem: format!("`{file}` is no JSON: {error}"),
            hint: "write the arguments by name: {\"name\": …}".to_owned(),
        }),
    }
}

fn schema_of<'a>(signature: Option<&'a Signature>, name: &str) -> Option<&'a Value> {
    let parameters = signature.map(|signature| signature.parameters.as_slice()).unwrap_or_default();
    parameters.iter().find(|parameter| parameter.name == name).map(|parameter| &parameter.schema)
}

/// Text for a parameter that takes text; otherwise JSON where it is JSON.
fn value_of(text: &str, schema: Option<&Value>) -> Value {
    if schema.is_some_and(|schema| schema["type"] == "string") {
        return Value::String(text.to_owned());
    }
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
