//! Runs as a person sees them: live while they go on, and their end.

use std::io::{IsTerminal, Write};

use model::budget::request;
use model::phrase::list;
use model::run::question::{check_answer, options};
use model::run::traceback::folded;
use model::run::{Run, RunError, RunState, Waiting};
use sandbox::environment::Progress as Making;
use serde::de::DeserializeOwned;
use serde_json::Value;
use server::app::runs::ids::short;

use crate::cli::Traceback;
use crate::client::{Brain, Events, StreamUpdate};
use crate::error::{Error, Exit};
use crate::terminal::output::Output;
use crate::terminal::progress::Progress;
use crate::terminal::prompt;
use crate::terminal::style::{ERROR, counted, paint, printable};

/// Shows what a run does while it does it.
pub(crate) struct Live {
    output: Output,
    making: Option<Progress>,
}

impl Live {
    pub(crate) fn new(output: &Output) -> Live {
        Live { output: output.clone(), making: None }
    }

    /// Shows all of an answer but its end, which it gives back.
    pub(crate) async fn shown<T: DeserializeOwned>(
        &mut self,
        brain: &Brain,
        events: &mut Events<'_>,
    ) -> Result<T, Error> {
        while let Some(told) = brain.told(events).await? {
            match told {
                StreamUpdate::Printed(text) => self.print(&text),
                StreamUpdate::Making(making) => self.make(&making),
                StreamUpdate::Begun(_) | StreamUpdate::Waits(_) => {}
                StreamUpdate::Done(done) => {
                    self.close();
                    return Ok(done);
                }
            }
        }
        Err(brain.broke_off())
    }

    pub(crate) fn print(&mut self, text: &str) {
        self.close();
        print(text);
    }

    /// Shows how far an environment is.
    pub(crate) fn make(&mut self, making: &Making) {
        self.say(words(making));
    }

    /// Shows how far it is, until something is printed.
    pub(crate) fn say(&mut self, text: String) {
        match &self.making {
            Some(progress) => progress.say(text),
            None => self.making = Some(Progress::start(&self.output, text)),
        }
    }

    /// Takes the progress line away.
    pub(crate) fn close(&mut self) {
        self.making = None;
    }
}

/// What a run printed, on standard error; a terminal is not steered by it.
pub(crate) fn print(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let shown = if stderr.is_terminal() { printable(text) } else { text.to_owned() };
    // There is nobody left to tell if this fails.
    stderr.write_all(shown.as_bytes()).ok();
}

fn words(making: &Making) -> String {
    match making {
        Making::Waiting => "waiting for another process that builds the same environment".to_owned(),
        Making::InstallingUv => "installing uv".to_owned(),
        Making::Resolving => "resolving packages".to_owned(),
        Making::Resolved { packages } => format!("resolved {packages} packages"),
        Making::Downloading { package, size } => format!("downloading {package} ({size})"),
        Making::Downloaded { package } => format!("downloaded {package}"),
        Making::Building { package } => format!("building {package}"),
        Making::Built { package } => format!("built {package}"),
        Making::Prepared { packages } => format!("prepared {packages} packages"),
        Making::Linked { packages } => format!("linked {packages} packages"),
    }
}

/// The result on standard output, or the error on standard error.
pub(crate) fn ended(output: &Output, run: &Run) -> Result<Exit, Error> {
    if output.json {
        output.answer(run, |_| String::new())?;
    } else {
        output.raw(&result(run))?;
    }
    if run.state == RunState::Succeeded {
        return Ok(Exit::Done);
    }
    if let Some(Waiting::Person { question, .. }) = &run.waiting {
        output.report(&format!("run {} waits for an answer: {}\n", run.run_id, plain(&question["question"])));
        output.hint(format!("answer with `selfmade runs answer {} ANSWER`", run.run_id));
        return Ok(Exit::Waiting);
    }
    if let Some(Waiting::Decision { changeset }) = &run.waiting {
        output.report(&format!("run {} waits for a decision about changeset {changeset}\n", run.run_id));
        output.hint(format!("`selfmade changes show {changeset}` shows it; apply or reject it"));
        return Ok(Exit::Waiting);
    }
    if let Some(Waiting::Breakpoints { nodes, values, .. }) = &run.waiting {
        let id = short(run.run_id);
        output.report(&format!("run {} stands {}\n", run.run_id, places(nodes, *values)));
        output.hint(format!(
            "`selfmade runs held {id}` shows the values; `selfmade runs release {id}` lets it go on"
        ));
        return Ok(Exit::Waiting);
    }
    if let Some(error) = &run.error {
        let shown = error_text(error, output.traceback);
        output.report(&format!(
            "{} run {} failed\n{}",
            paint(ERROR, "error:"),
            run.run_id,
            printable(&shown)
        ));
        if error.hint.is_some() && error.traceback.is_some() && output.traceback == Traceback::Short {
            let id = short(run.run_id);
            output.note(format!("`runs show {id} --traceback full` shows where it was raised"));
        }
    } else {
        output.report(&format!("run {} was {}", run.run_id, run.state.as_str()));
    }
    Ok(if run.state == RunState::Cancelled { Exit::Interrupted } else { Exit::RunFailed })
}

/// Where it stands.
fn places(nodes: &[String], values: usize) -> String {
    let nodes: Vec<String> = nodes.iter().map(|node| format!("`{}`", printable(node))).collect();
    let nodes = (!nodes.is_empty()).then(|| format!("before {}", list(&nodes, "and")));
    let links = (values > 0).then(|| format!("with {} on links", counted(values, "value")));
    [nodes, links].into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

/// What to do about it, if that is known; otherwise the traceback, which mostly ends with what was raised, or what was raised alone.
pub(crate) fn error_text(error: &RunError, how: Traceback) -> String {
    let summary = format!("{}: {}", error.type_name, error.message);
    let whole = error.traceback.as_deref().unwrap_or_default();
    let traceback = match how {
        Traceback::Full => whole.to_owned(),
        Traceback::Short if error.hint.is_some() => String::new(),
        Traceback::Short => folded(whole),
    };
    let mut text = error.hint.as_ref().map(|hint| format!("{hint}\n")).unwrap_or_default();
    if !traceback.is_empty() {
        text.push_str(&format!("{}\n", traceback.trim_end()));
    }
    if !traceback.contains(&summary) {
        text.push_str(&format!("{summary}\n"));
    }
    text
}

/// A value as lines: a text of several as it is, everything else as JSON, on one line if it is short.
pub(crate) fn value(value: &Value) -> Vec<String> {
    const SHORT: usize = 80;
    let text = match value {
        Value::String(text) if text.contains('\n') => text.clone(),
        other => {
            let line = other.to_string();
            if line.len() > SHORT { format!("{other:#}") } else { line }
        }
    };
    text.lines().map(printable).collect()
}

/// `12.3 MB`.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        ..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// Text as it is, nothing for nothing, everything else as JSON.
fn result(run: &Run) -> String {
    match &run.output {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => format!("{text}\n"),
        Some(value) => format!("{value:#}\n"),
    }
}

/// Asks the person at the terminal until the answer is one that can be chosen.
pub(crate) fn ask(asked: &Value) -> Result<Value, Error> {
    let mut question = question(asked);
    loop {
        let answer = chosen(asked, &prompt::question(&question)?);
        match check_answer(asked, &answer) {
            Ok(()) => return Ok(answer),
            Err(error) => question = format!("{error}\n> "),
        }
    }
}

/// A question with what can be chosen.
fn question(asked: &Value) -> String {
    let text = asked["question"].as_str().unwrap_or_default();
    let lines =
        options(asked).iter().enumerate().map(|(n, option)| format!("  {}. {}\n", n + 1, plain(option)));
    format!("{text}\n{}> ", lines.collect::<String>())
}

/// What an answer means: one of the options, by its number or its text, or the text itself.
pub(crate) fn chosen(asked: &Value, answer: &str) -> Value {
    let options = options(asked);
    let by_number = answer.parse::<usize>().ok().and_then(|n| options.get(n.checked_sub(1)?));
    let by_text = options.iter().find(|option| plain(option) == answer);
    // How much of a larger budget.
    let amounts = || request::asked(asked).and_then(|_| serde_json::from_str(answer).ok());
    by_text.or(by_number).cloned().or_else(amounts).unwrap_or_else(|| Value::String(answer.to_owned()))
}

pub(crate) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
