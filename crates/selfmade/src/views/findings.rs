//! Findings and conflicts, line by line: where, what, and what to do.

use anstyle::Style;
use model::changeset::Conflict;
use model::changeset::check::{Finding, Severity};
use model::pack::Widened;

use crate::terminal::output::Output;
use crate::terminal::style::{BAD, DIM, NAME, WARNING, paint, printable};

/// How many are shown unless all are asked for.
const FEW: usize = 5;

pub(crate) fn errors(findings: &[&Finding]) -> String {
    findings.iter().map(|finding| line(finding)).collect()
}

/// The entry, where in which file, what, and the hint below.
fn line(finding: &Finding) -> String {
    let style = match finding.severity {
        Severity::Error => BAD,
        Severity::Warning => Style::new(),
    };
    let place = match (&finding.file, finding.line, finding.column) {
        (Some(file), Some(line), Some(column)) => format!(", {file}:{line}:{column}"),
        (None, Some(line), Some(column)) => format!(", line {line}:{column}"),
        (Some(file), _, _) => format!(", {file}"),
        _ => String::new(),
    };
    let entry = paint(style, format!("{}{place}:", finding.entry));
    let hint = match &finding.hint {
        Some(hint) => format!("    {}\n", paint(DIM, format!("hint: {hint}"))),
        None => String::new(),
    };
    format!("  {entry} {}\n{hint}", printable(&finding.message))
}

/// Warnings are counted, and the first few shown.
pub(crate) fn warn(output: &Output, warnings: &[Finding]) {
    let lines: Vec<String> = warnings.iter().map(line).collect();
    section(output, &lines, "warning", "warnings");
}

/// What functions of a pack may do because those they call may.
pub(crate) fn widened(output: &Output, widened: &[Widened]) {
    let lines: Vec<String> = widened
        .iter()
        .map(|one| {
            format!("  {} also gets {}\n", paint(NAME, one.name.as_str()), printable(&one.gained.join(", ")))
        })
        .collect();
    section(output, &lines, "function with widened grants", "functions with widened grants");
}

/// A heading with a count, some lines, and how to see the rest.
pub(crate) fn section(output: &Output, lines: &[String], one: &str, many: &str) {
    if lines.is_empty() {
        return;
    }
    let noun = if lines.len() == 1 { one } else { many };
    let shown = if output.verbose { lines.len() } else { FEW.min(lines.len()) };
    let mut out =
        format!("{}\n{}", paint(WARNING, format!("{} {noun}:", lines.len())), lines[..shown].concat());
    if shown < lines.len() {
        out.push_str(&format!(
            "  {}\n",
            paint(DIM, format!("… and {} more; `--verbose` shows all", lines.len() - shown))
        ));
    }
    output.report(&out);
}

pub(crate) fn conflicts(conflicts: &[Conflict]) -> String {
    let line = |conflict: &Conflict| {
        let how = if conflict.changed_here { "which it changes" } else { "which it calls" };
        format!(
            "  {} {how}, changed at revision {}\n",
            paint(BAD, conflict.key.to_string() + ","),
            conflict.moved_at
        )
    };
    conflicts.iter().map(line).collect()
}
