//! What is wrong with a Graph, a problem a line.

use model::changeset::check::Severity;
use model::graph::check::Problem;

use crate::terminal::style::{ERROR, WARNING, paint, printable};

pub(crate) fn lines(problems: &[Problem]) -> String {
    problems.iter().map(line).collect()
}

fn line(problem: &Problem) -> String {
    let severity = match problem.severity {
        Severity::Error => paint(ERROR, "error:"),
        Severity::Warning => paint(WARNING, "warning:"),
    };
    format!("{severity} {}\n", printable(&problem.to_string()))
}
