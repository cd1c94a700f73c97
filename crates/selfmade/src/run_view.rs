//! Runs as a person sees them: live while they go on, and their end.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use model::run::{Run, RunState};
use sandbox::environment::Progress as Making;
use serde_json::Value;
use server::engine::Happened;

use crate::error::{Error, Exit};
use crate::output::Output;
use crate::progress::Progress;
use crate::style::{ERROR, paint, printable};

/// Shows what a run does while it does it.
pub(crate) struct Live {
    output: Output,
    making: Mutex<Option<Progress>>,
}

impl Live {
    pub(crate) fn new(output: &Output) -> Live {
        Live { output: output.clone(), making: Mutex::default() }
    }

    pub(crate) fn hear(&self, happened: &Happened) {
        match happened {
            Happened::Environment(making) => self.make(making),
            Happened::Output(_, text) => {
                self.close();
                // There is nobody left to tell if this fails.
                std::io::stderr().lock().write_all(text.as_bytes()).ok();
            }
            Happened::Yielded(_) | Happened::Call(_) | Happened::Step(_) => {}
        }
    }

    fn make(&self, making: &Making) {
        let text = words(making);
        let mut progress = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        match progress.as_ref() {
            Some(progress) => progress.say(text),
            None => *progress = Some(Progress::start(&self.output, text)),
        }
    }

    /// Takes the progress line away.
    pub(crate) fn close(&self) {
        self.making.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

fn words(making: &Making) -> String {
    match making {
        Making::Waiting => "waiting for another process that makes the same environment".to_owned(),
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
    output.answer(run, |_| result(run))?;
    if run.state == RunState::Succeeded {
        return Ok(Exit::Done);
    }
    if let Some(error) = &run.error {
        let traceback = error.traceback.as_deref().map(|text| format!("{text}\n")).unwrap_or_default();
        let summary = format!("{}: {}", error.type_name, error.message);
        let shown = if traceback.contains(&summary) { traceback } else { format!("{traceback}{summary}\n") };
        output.report(&format!(
            "{} run {} failed\n{}",
            paint(ERROR, "error:"),
            run.run_id,
            printable(&shown)
        ));
    } else {
        output.report(&format!("run {} was {}", run.run_id, run.state.as_str()));
    }
    Ok(if run.state == RunState::Cancelled { Exit::Interrupted } else { Exit::RunFailed })
}

/// Text as it is, nothing for nothing, everything else as JSON.
fn result(run: &Run) -> String {
    match &run.output {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => format!("{text}\n"),
        Some(value) => format!("{value:#}\n"),
    }
}

/// A question with what can be chosen.
pub(crate) fn question(asked: &Value) -> String {
    let text = asked["question"].as_str().unwrap_or_default();
    let options = asked["options"].as_array().map(Vec::as_slice).unwrap_or_default();
    let lines = options.iter().enumerate().map(|(n, option)| format!("  {}. {}\n", n + 1, plain(option)));
    format!("{text}\n{}> ", lines.collect::<String>())
}

/// What an answer means: one of the options, by its number or its text, or the text itself.
pub(crate) fn chosen(asked: &Value, answer: &str) -> Value {
    let options = asked["options"].as_array().map(Vec::as_slice).unwrap_or_default();
    let by_number = answer.parse::<usize>().ok().and_then(|n| options.get(n.checked_sub(1)?));
    let by_text = options.iter().find(|option| plain(option) == answer);
    by_text.or(by_number).cloned().unwrap_or_else(|| Value::String(answer.to_owned()))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
