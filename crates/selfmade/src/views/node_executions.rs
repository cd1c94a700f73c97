//! What the nodes of a Graph did in a Run, an execution a line.

use anstyle::Style;
use server::app::runs::ids::short;
use server::app::runs::nodes::{NodeExecution, NodeProgress, NodeState};

use super::trace::cut;
use crate::terminal::output::Screen;
use crate::terminal::style::{BAD, DIM, GOOD, NAME, WARNING, paint, printable};
use crate::terminal::table::{Cell, Table};
use crate::terminal::time;

pub(crate) fn table(executions: &[NodeExecution], screen: &Screen) -> String {
    let mut table = Table::new(&["#", "node", "nth", "state", "started", "took", "run", "result"], 7);
    for execution in executions {
        let (state, style) = state(execution.state);
        table.row(vec![
            Cell::painted(DIM, execution.position.to_string()),
            Cell::painted(NAME, &execution.node),
            execution.number.to_string().into(),
            Cell::painted(style, state),
            Cell::painted(DIM, screen.time(execution.started_at)),
            took(execution).into(),
            Cell::painted(DIM, execution.run_id.map(short).unwrap_or_default()),
            result(execution),
        ]);
    }
    table.render(screen)
}

/// One that began or ended.
pub(crate) fn line(progress: &NodeProgress) -> String {
    let (state, style) = state(progress.state);
    let took = progress.finished_at.map(|end| end.duration_since(progress.started_at).as_micros());
    let took =
        took.and_then(|took| u64::try_from(took).ok()).filter(|_| progress.state != NodeState::Running);
    let took = took.map(|took| paint(DIM, format!("  {}", time::took(took)))).unwrap_or_default();
    let error = progress.error.as_ref().map(|error| format!("  {}: {}", error.type_name, error.message));
    let error = error.map(|error| paint(BAD, cut(&error))).unwrap_or_default();
    let node = paint(NAME, printable(&progress.node));
    format!("{:>3}  {node} {}  {}{took}{error}", progress.position, progress.number, paint(style, state))
}

fn state(state: NodeState) -> (&'static str, Style) {
    match state {
        NodeState::Running => ("running", WARNING),
        NodeState::Succeeded => ("succeeded", GOOD),
        NodeState::Failed => ("failed", BAD),
    }
}

fn took(execution: &NodeExecution) -> String {
    let took = execution.finished_at.map(|end| end.duration_since(execution.started_at).as_micros());
    took.and_then(|took| u64::try_from(took).ok()).map(time::took).unwrap_or_default()
}

/// Its error, or what left on which pin.
fn result(execution: &NodeExecution) -> Cell {
    if let Some(error) = &execution.error {
        return Cell::painted(BAD, cut(&format!("{}: {}", error.type_name, error.message)));
    }
    let values = |(pin, values): (&String, &serde_json::Value)| -> Vec<String> {
        let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
        values.iter().map(|value| format!("{pin}={value}")).collect()
    };
    let left: Vec<String> = execution.outputs.iter().flat_map(values).collect();
    cut(&left.join(", ")).into()
}
