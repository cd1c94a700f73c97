//! What needs a person now, each with the command to look at it.

use model::phrase::cut;
use server::app::operations::attention::{Attention, Failing};

use super::run::plain;
use crate::terminal::output::Screen;
use crate::terminal::style::{NAME, TITLE, WARNING, counted, paint, printable};

/// More of a reason or a question does not fit on a line.
const MOST: usize = 160;

/// Nothing if all is well.
pub(crate) fn render(attention: &Attention, program: &str, screen: &Screen) -> String {
    if attention.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{}\n", paint(TITLE, "Needs attention"));
    for (kind, list) in [("schedule", &attention.schedules), ("trigger", &attention.triggers)] {
        for failing in list {
            out.push_str(&self::failing(kind, failing, program, screen));
        }
    }
    for question in &attention.questions {
        let head = format!("run of `{}`", question.function);
        let what = format!(
            "waits for an answer since {}: {}",
            screen.time(question.created_at),
            plain(&question.question["question"])
        );
        let answer = format!("{program} runs answer {} ANSWER", question.run_id);
        out.push_str(&line(&head, &what, &answer));
    }
    for changeset in &attention.changesets {
        let head = format!("changeset {}", changeset.number);
        let what =
            format!("waits for a decision since {}: {}", screen.time(changeset.created_at), changeset.title);
        out.push_str(&line(&head, &what, &format!("{program} changes show {}", changeset.number)));
    }
    for environment in &attention.environments {
        let head = format!("function `{}`", environment.function);
        out.push_str(&line(&head, &environment.why, &format!("{program} warm {}", environment.function)));
    }
    for preset in &attention.presets {
        let head = format!("preset `{}` of `{}`", preset.name, preset.callable);
        let show = format!("{program} preset show {} \"{}\"", preset.callable, preset.name);
        out.push_str(&line(&head, &format!("does not fit: {}", preset.why), &show));
    }
    out
}

fn failing(kind: &str, failing: &Failing, program: &str, screen: &Screen) -> String {
    let did = if failing.run_id.is_some() { "its run failed" } else { "started nothing" };
    let (times, last) = (failing.times, screen.time(failing.last));
    let what = format!("{did}, {times} times in a row, last {last}: {}", failing.why);
    line(&format!("{kind} `{}`", failing.name), &what, &format!("{program} {kind} show {}", failing.name))
}

fn line(head: &str, what: &str, command: &str) -> String {
    let what = printable(&cut(what.lines().next().unwrap_or_default(), MOST));
    format!("  {} {what}\n    {}\n", paint(WARNING, format!("{head}:")), paint(NAME, command))
}

/// For the overview: how much there is.
pub(crate) fn counted_line(attention: &Attention, program: &str) -> Option<(String, String)> {
    let count = attention.count();
    (count > 0).then(|| (counted(count, "thing"), format!("{program} status")))
}
