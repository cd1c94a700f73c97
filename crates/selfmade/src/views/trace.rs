//! What a Run did on its way: Calls inside its cell, Steps through the host, Runs that it led to.

use std::collections::HashMap;

use model::ids::RunId;
use model::run::RunError;
use model::run::call::Call;
use model::run::step::Step;
use serde_json::{Map, Value};
use server::app::runs::ids::short;
use server::app::runs::records::{Below, RunRecord};

use super::run_lines;
use crate::terminal::style::{BAD, DIM, NAME, one_line, paint};
use crate::terminal::time;

/// No value is shown longer than that on a line.
const LONGEST: usize = 60;

/// One a line, those that a Call made below it.
pub(crate) fn calls(calls: &[Call]) -> Vec<String> {
    let mut depths: HashMap<u32, usize> = HashMap::new();
    calls
        .iter()
        .map(|call| {
            let depth = call.parent.and_then(|parent| depths.get(&parent)).map_or(0, |depth| depth + 1);
            depths.insert(call.position, depth);
            let name = paint(NAME, &call.function);
            let arguments = arguments(&[], call.input.as_object());
            let took = call.duration_us.map(time::took);
            format!("{}{}", "  ".repeat(depth), done(&format!("{name}({arguments})"), took, &result(call)))
        })
        .collect()
}

fn result(call: &Call) -> String {
    match call.duration_us {
        Some(_) => came(call.output.as_ref(), call.error.as_ref()),
        None => paint(DIM, "  did not end"),
    }
}

/// In the order of the journal.
pub(crate) fn steps(record: &RunRecord) -> Vec<String> {
    let children: HashMap<RunId, &Below> =
        record.below.iter().map(|below| (below.line.run_id, below)).collect();
    record
        .steps
        .iter()
        .map(|step| self::step(step, step.child.and_then(|child| children.get(&child).copied())))
        .collect()
}

/// One Step; `child` is the Run it started.
pub(crate) fn step(step: &Step, child: Option<&Below>) -> String {
    let (verb, positional, named) = asked(step, child);
    let text =
        format!("{:>3}  {}({})", step.position, paint(NAME, &verb), arguments(&positional, named.as_ref()));
    let took =
        step.finished_at.and_then(|end| u64::try_from(end.duration_since(step.started_at).as_micros()).ok());
    let result = match step.finished_at {
        Some(_) => came(step.result.as_ref(), step.error.as_ref()),
        None => paint(DIM, "  goes on"),
    };
    let mut line = done(&text, took.map(time::took), &result);
    if !step.lane.is_main() {
        line.push_str(&paint(DIM, format!("  in {}", step.lane)));
    }
    if let Some(child) = step.child {
        line.push_str(&paint(DIM, format!("  run {}", short(child))));
    }
    if let Some(who) = &step.answered_by {
        line.push_str(&paint(DIM, format!("  answered by {who}")));
    }
    line
}

/// The verb and its arguments. A call into another cell is told as the call that the source has.
fn asked(step: &Step, child: Option<&Below>) -> (String, Vec<Value>, Option<Map<String, Value>>) {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (positional, named) = (list(&step.request["args"]), step.request["kwargs"].as_object().cloned());
    match (step.verb.as_str(), positional.as_slice(), child) {
        ("call", [_, given, by_name], Some(child)) => {
            (child.line.key.name.to_string(), list(given), by_name.as_object().cloned())
        }
        _ => (step.verb.clone(), positional, named),
    }
}

/// Runs below this one, each below the one that led to it.
pub(crate) fn below(record: &RunRecord) -> Vec<String> {
    let mut children: HashMap<RunId, Vec<&Below>> = HashMap::new();
    for below in record.below.iter().rev() {
        children.entry(below.above).or_default().push(below);
    }
    let mut lines = Vec::new();
    let mut next = take(&mut children, record.run.run_id, 0);
    while let Some((depth, below)) = next.pop() {
        lines.push(format!("{}{}", "  ".repeat(depth), run_lines::branch(&below.line).trim_end()));
        next.extend(take(&mut children, below.line.run_id, depth + 1));
    }
    lines
}

/// The children of a Run, the last first. They are taken out, so that records that name each other in a circle end.
fn take<'a>(
    children: &mut HashMap<RunId, Vec<&'a Below>>,
    above: RunId,
    depth: usize,
) -> Vec<(usize, &'a Below)> {
    children.remove(&above).unwrap_or_default().into_iter().map(|below| (depth, below)).collect()
}

fn done(what: &str, took: Option<String>, result: &str) -> String {
    let took = took.map(|took| paint(DIM, format!("  {took}"))).unwrap_or_default();
    format!("{what}{took}{result}")
}

/// What resulted from it; nothing for nothing.
fn came(output: Option<&Value>, error: Option<&RunError>) -> String {
    let came = match (error, output) {
        (Some(error), _) => paint(BAD, cut(&format!("{}: {}", error.type_name, error.message))),
        (None, None | Some(Value::Null)) => return String::new(),
        (None, Some(value)) => cut(&value.to_string()),
    };
    format!("  → {came}")
}

/// As a call is written.
fn arguments(positional: &[Value], named: Option<&Map<String, Value>>) -> String {
    let positional = positional.iter().map(|value| cut(&value.to_string()));
    let named = named
        .into_iter()
        .flatten()
        .map(|(name, value)| format!("{}={}", one_line(name), cut(&value.to_string())));
    positional.chain(named).collect::<Vec<_>>().join(", ")
}

/// On one line, and no longer than fits.
pub(crate) fn cut(text: &str) -> String {
    let text = one_line(text);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
