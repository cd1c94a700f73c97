//! Runs as lines: of a table, of a tree, or one after the other as they end.

use anstyle::Style;
use model::run::RunState;
use server::app::runs::ids::short;
use server::app::runs::lists::RunLine;

use crate::terminal::output::Screen;
use crate::terminal::style::{BAD, DIM, GOOD, NAME, WARNING, one_line, paint};
use crate::terminal::table::{Cell, Table};
use crate::terminal::time;

pub(crate) fn table(runs: &[RunLine], screen: &Screen) -> String {
    let mut table = Table::new(&["id", "function", "state", "when", "took", "who"], 1);
    for run in runs {
        table.row(vec![
            Cell::painted(NAME, short(run.run_id)),
            function(run).into(),
            Cell::painted(style(run.state), run.state.as_str()),
            Cell::painted(DIM, screen.time(run.created_at)),
            took(run).into(),
            Cell::painted(DIM, &run.who),
        ]);
    }
    table.render(screen)
}

/// What is as wide for every Run stands first, so that lines printed one by one are aligned.
pub(crate) fn line(run: &RunLine) -> String {
    let mut parts = vec![
        paint(DIM, time::exact(run.finished_at.unwrap_or(run.created_at))),
        paint(NAME, short(run.run_id)),
        paint(style(run.state), format!("{:<9}", run.state.as_str())),
        format!("{:>8}", took(run)),
        one_line(&function(run)),
        paint(DIM, one_line(&run.who)),
    ];
    let error = run.error.as_ref().map(|error| format!("{}: {}", error.type_name, error.message));
    parts.extend(error.map(|error| paint(BAD, one_line(&error))));
    format!("{}\n", parts.join("  "))
}

/// In a tree of Runs.
pub(crate) fn branch(run: &RunLine) -> String {
    branch_in(run, run.state.as_str())
}

/// The same of a Run whose end was asked for.
pub(crate) fn cancelled_branch(run: &RunLine) -> String {
    branch_in(run, if run.state == RunState::Running { "cancelling" } else { run.state.as_str() })
}

fn branch_in(run: &RunLine, state: &str) -> String {
    let parts = [
        paint(NAME, short(run.run_id)),
        one_line(&function(run)),
        paint(style(run.state), state),
        took(run),
        paint(DIM, one_line(&run.who)),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}\n", parts.join("  "))
}

/// `name@version`.
pub(crate) fn function(run: &RunLine) -> String {
    match run.version {
        Some(version) => format!("{}@{version}", run.key.name),
        None => run.key.name.to_string(),
    }
}

fn took(run: &RunLine) -> String {
    run.duration_us.map(time::took).unwrap_or_default()
}

pub(crate) fn style(state: RunState) -> Style {
    match state {
        RunState::Queued | RunState::Cancelled => DIM,
        RunState::Running | RunState::Waiting => WARNING,
        RunState::Succeeded => GOOD,
        RunState::Failed => BAD,
    }
}
