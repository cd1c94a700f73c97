//! `selfmade run`: a function or graph, once. Its result goes to standard output, what it prints to standard error, live.

use std::borrow::Cow;
use std::io::IsTerminal;

use model::access::grants;
use model::entry::EntryKind;
use model::function::signature::Signature;
use model::graph::block::BlockSignature;
use model::graph::run_options::GraphOptions;
use model::ids::RunId;
use model::name::EntryName;
use model::run::{Run, RunState, Waiting};
use model::version::VersionNumber;
use serde_json::{Map, Value};
use server::app::graphs::blocks::CallableView;

use super::budget::BudgetArguments;
use super::graph_options::GraphArguments;
use crate::client::{Brain, Events, FunctionRun, GraphSource, Start, StreamUpdate};
use crate::error::{Error, Exit};
use crate::files;
use crate::session::Session;
use crate::views::estimate;
use crate::views::run::{self, Live};
use crate::worker::Worker;

/// Run a function or graph
///
/// Its result goes to standard output, as text if it is a string and as JSON otherwise; what it prints goes to
/// standard error as it runs. Exit code 7 means that the run failed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade run greet --arg name=Ada
  selfmade run add 2 3
  selfmade run word_count --arg text=@page.txt
  selfmade run summarize --input request.json
  echo '{\"name\": \"Ada\"}' | selfmade run greet --input -
  selfmade run greet@3 --arg name=Ada        an earlier version
  selfmade run news --preset morning         a named input
  selfmade run report --queue                run it later
  selfmade run fetch --retries 3             up to three retries
  selfmade run build --budget 0.50 --max-turns 40   spends no more
  selfmade run news --break summarize        stop before the node; then runs held, runs release
  selfmade run news --pin fetch.output='[]'  without executing the node
  selfmade run news --estimate               how long it takes")]
pub(crate) struct Arguments {
    /// The function or graph, or NAME@VERSION
    function: Reference,
    /// Arguments by position, as JSON or text
    values: Vec<String>,
    /// An argument by name, as JSON or text; @FILE is the content of a file, @- standard input, and @@ begins a text with @
    #[arg(long = "arg", short, value_name = "NAME=VALUE")]
    named: Vec<String>,
    /// Read the arguments from a file with a JSON object; - is standard input
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// Take what is not stated from this preset
    #[arg(long, value_name = "PRESET")]
    preset: Option<String>,
    /// Queue it instead of running it now, and print its id
    #[arg(long)]
    queue: bool,
    /// Start at most one run with this key; a repeated request returns that run
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    /// Leave the runs that this run triggers for later
    #[arg(long)]
    no_triggers: bool,
    /// The time limit in seconds, instead of the function's own
    #[arg(long, value_name = "SECONDS", value_parser = milliseconds)]
    timeout: Option<u64>,
    /// How many times to retry it, instead of the function's own setting
    #[arg(long, value_name = "N")]
    retries: Option<u32>,
    /// The priority in the queue, from -100 to 100, highest first [default: the function's own]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    priority: Option<i32>,
    #[command(flatten)]
    budget: BudgetArguments,
    #[command(flatten)]
    graph: GraphArguments,
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
            .map(|number| {
                number.parse().map_err(|_| format!("`{number}` is not a version number; write `name@3`"))
            })
            .transpose()?;
        Ok(Reference { name: name.parse().map_err(|error| format!("{error}"))?, number })
    }
}

/// Of a text with seconds.
pub(crate) fn milliseconds(text: &str) -> Result<u64, String> {
    let seconds = text.parse::<f64>().map_or_else(|_| Value::from(text), Value::from);
    grants::timeout(&seconds).map_err(|error| error.to_string())
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    run_graph(session, brain, arguments, false, GraphOptions::default()).await
}

/// The same, perhaps of a draft, or of only some nodes of a graph.
pub(crate) async fn run_graph(
    session: &Session,
    brain: &Brain,
    arguments: Arguments,
    draft: bool,
    nodes: GraphOptions,
) -> Result<Exit, Error> {
    let signature = if draft {
        let view = brain.graph_draft(&arguments.function.name).await?;
        BlockSignature::of_graph(&view.graph).to_signature()
    } else {
        let view = brain.callable(&arguments.function.name, arguments.function.number).await?;
        if arguments.graph.estimate {
            return estimated(session, brain, &view).await;
        }
        view.signature
    };
    let (positional, input) = input(&arguments, &signature)?;
    let stops = arguments.graph.read()?;
    let run = FunctionRun {
        function: arguments.function.name,
        code: None,
        version: arguments.function.number,
        input,
        positional,
        timeout_ms: arguments.timeout,
        retries: arguments.retries,
        priority: arguments.priority,
        draft,
        preset: arguments.preset,
        budget: Some(arguments.budget.limits()).filter(|limits| !limits.is_empty()),
        graph: GraphOptions { breakpoints: stops.breakpoints, pinned: stops.pinned, ..nodes },
    };
    let start = Start::Function { run: Box::new(run), key: arguments.idempotency_key };
    if arguments.queue {
        return queue(session, brain, &start).await;
    }
    execute(session, brain, &start, !arguments.no_triggers).await
}

/// What a run would take, which is not started.
async fn estimated(session: &Session, brain: &Brain, view: &CallableView) -> Result<Exit, Error> {
    let name = &view.key.name;
    if view.key.kind != EntryKind::Graph {
        return Err(Error::Input {
            problem: format!("`{name}` is a function, and only runs of graphs are estimated"),
            hint: format!("`{} insights {name}` shows how long its runs took", session.settings.program),
        });
    }
    let source = GraphSource { version: Some(view.version), draft: false };
    let estimated = brain.estimate_graph(name, source).await?;
    estimate::show(&session.output, &estimated)?;
    session.output.note("nothing was run");
    Ok(Exit::Done)
}

/// Queues it for a server.
pub(crate) async fn queue(session: &Session, brain: &Brain, start: &Start) -> Result<Exit, Error> {
    let run = brain.queue(start).await?;
    session.output.answer(&run, |_| format!("{}\n", run.run_id))?;
    let who = if brain.is_remote() { "the server" } else { "`selfmade serve`" };
    session.output.note(format!("queued; {who} will run it"));
    Ok(Exit::Done)
}

/// Runs it to its end. Where nobody serves the brain, a worker beside does what it triggers and what it waits for.
pub(crate) async fn execute(
    session: &Session,
    brain: &Brain,
    start: &Start,
    triggers: bool,
) -> Result<Exit, Error> {
    let worker = brain.local().map(|local| Worker::begin(&local.ctx));
    let mut events = brain.start(start).await?;
    let run = watch(session, brain, &mut events, &mut Live::print).await?;
    let exit = run::ended(&session.output, &run)?;
    if let Some(worker) = worker {
        // What it triggers belongs to what was asked for.
        let triggered =
            if triggers && run.state == RunState::Succeeded { worker.triggered().await? } else { 0 };
        match triggered {
            0 => {}
            1 => session.output.note("it triggered 1 run"),
            count => session.output.note(format!("it triggered {count} runs")),
        }
        worker.end().await;
    }
    Ok(exit)
}

/// Shows what a Run does until it ends. The first Ctrl-C cancels it.
pub(crate) async fn watch(
    session: &Session,
    brain: &Brain,
    events: &mut Events<'_>,
    print: &mut dyn FnMut(&mut Live, &str),
) -> Result<Run, Error> {
    let cancelled = session.interrupts.cancelling();
    let mut live = Live::new(&session.output);
    let (mut id, mut is_cancelled) = (None, false);
    loop {
        let told = tokio::select! {
            told = brain.told(events) => told?,
            () = cancelled.cancelled(), if id.is_some() && !is_cancelled => {
                is_cancelled = true;
                cancel(brain, id).await;
                continue;
            }
        };
        match told {
            Some(StreamUpdate::Begun(begun)) => id = Some(begun),
            Some(StreamUpdate::Printed(text)) => print(&mut live, &text),
            Some(StreamUpdate::Making(making)) => live.make(&making),
            Some(StreamUpdate::Waits(run)) => {
                live.close();
                if !answer_question(brain, &run).await? {
                    return Ok(*run);
                }
            }
            Some(StreamUpdate::Done(run)) => return Ok(run),
            None => return Err(brain.broke_off()),
        }
    }
}

async fn cancel(brain: &Brain, id: Option<RunId>) {
    let Some(id) = id else { return };
    // It may have ended by itself meanwhile.
    let _ = brain.cancel(id).await;
}

/// A run that waits for a person asks the one at the terminal. False if there is none.
async fn answer_question(brain: &Brain, run: &Run) -> Result<bool, Error> {
    let question = match &run.waiting {
        Some(Waiting::Person { question, .. }) => question,
        // Whoever set the breakpoint looks at the values first.
        Some(Waiting::Breakpoints { .. } | Waiting::Decision { .. }) => return Ok(false),
        _ => return Ok(true),
    };
    if !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    brain.answer(run.run_id, &run::ask(question)?).await?;
    Ok(true)
}

/// Arguments by position, and by name.
fn input(arguments: &Arguments, signature: &Signature) -> Result<(Vec<Value>, Map<String, Value>), Error> {
    let named = named(arguments.input.as_deref(), &arguments.named, Some(signature))?;
    let schemas = signature.parameters.as_slice();
    let positional = arguments
        .values
        .iter()
        .enumerate()
        .map(|(place, value)| value_of(value, schemas.get(place).map(|parameter| &parameter.schema)));
    Ok((positional.collect(), named))
}

/// Arguments by name: those of a file, and over them those of the command line.
pub(crate) fn named(
    file: Option<&str>,
    pairs: &[String],
    signature: Option<&Signature>,
) -> Result<Map<String, Value>, Error> {
    check_stdin(file, pairs)?;
    let mut named = file.map(object).transpose()?.unwrap_or_default();
    for pair in pairs {
        let Some((name, value)) = pair.split_once('=') else {
            return Err(Error::Input {
                problem: format!("`{pair}` is not an argument"),
                hint: "write `--arg NAME=VALUE`".to_owned(),
            });
        };
        named.insert(name.to_owned(), value_of(&content(value)?, schema_of(signature, name)));
    }
    Ok(named)
}

/// What a value stands for: `@FILE` is the content of a file, and `@@` begins a text that begins with `@`.
fn content(value: &str) -> Result<Cow<'_, str>, Error> {
    match value.strip_prefix('@') {
        None => Ok(Cow::Borrowed(value)),
        Some(literal) if literal.starts_with('@') => Ok(Cow::Borrowed(literal)),
        Some("") => Err(Error::Input {
            problem: "`@` does not name a file".to_owned(),
            hint: "write `@FILE`, `@-` for standard input, or `@@` for the text `@`".to_owned(),
        }),
        Some(file) => files::read_text(file).map(Cow::Owned),
    }
}

/// Standard input ends once.
fn check_stdin(file: Option<&str>, pairs: &[String]) -> Result<(), Error> {
    let of_pairs = pairs.iter().filter(|pair| pair.split_once('=').is_some_and(|(_, value)| value == "@-"));
    if of_pairs.count() + usize::from(file == Some(files::STDIN)) < 2 {
        return Ok(());
    }
    Err(Error::Input {
        problem: "standard input can be read only once".to_owned(),
        hint: "write the other values to files, and name them as `@FILE`".to_owned(),
    })
}

fn object(file: &str) -> Result<Map<String, Value>, Error> {
    let text = files::read_text(file)?;
    match serde_json::from_str(&text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Error::Input {
            problem: format!("`{file}` does not contain a JSON object"),
            hint: "write arguments by name: {\"name\": …}".to_owned(),
        }),
        Err(error) => Err(Error::Input {
            problem: format!("`{file}` is not valid JSON: {error}"),
            hint: "write arguments by name: {\"name\": …}".to_owned(),
        }),
    }
}

fn schema_of<'a>(signature: Option<&'a Signature>, name: &str) -> Option<&'a Value> {
    let parameters = signature.map(|signature| signature.parameters.as_slice()).unwrap_or_default();
    parameters.iter().find(|parameter| parameter.name == name).map(|parameter| &parameter.schema)
}

/// Text for a parameter that takes text; otherwise JSON where it is JSON.
pub(crate) fn value_of(text: &str, schema: Option<&Value>) -> Value {
    if schema.is_some_and(|schema| schema["type"] == "string") {
        return Value::String(text.to_owned());
    }
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
