//! A difference as a coloured unified diff.

use anstyle::Style;
use model::changeset::diff::{Diff, Line, LineKind};

use crate::terminal::style::{BAD, DIM, GOOD, TITLE, paint};

pub(crate) fn render(old: &str, new: &str, diff: &Diff) -> String {
    let mut out = format!("{}\n{}\n", paint(TITLE, format!("--- {old}")), paint(TITLE, format!("+++ {new}")));
    for hunk in &diff.hunks {
        out.push_str(&format!("{}\n", paint(DIM, &hunk.header)));
        out.extend(hunk.lines.iter().map(line));
    }
    out
}

fn line(line: &Line) -> String {
    let (mark, style) = match line.kind {
        LineKind::Same => (' ', Style::new()),
        LineKind::Added => ('+', GOOD),
        LineKind::Removed => ('-', BAD),
    };
    format!("{}\n", paint(style, format!("{mark}{}", line.text)))
}
