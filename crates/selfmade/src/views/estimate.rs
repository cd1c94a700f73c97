//! What a run of a graph will take.

use server::app::graphs::estimates::{BlockRuns, GraphEstimate};

use super::fields::Fields;
use crate::error::Error;
use crate::terminal::output::Output;
use crate::terminal::style::{NAME, printable};
use crate::terminal::table::{Cell, Table};
use crate::terminal::time;

pub(crate) fn show(output: &Output, estimated: &GraphEstimate) -> Result<(), Error> {
    output.answer(estimated, |screen| {
        let estimate = &estimated.estimate;
        let mut fields = Fields::default();
        let least = if estimated.complete { "" } else { "at least " };
        fields.add("expected", format!("{least}{}", took(estimate.expected_ms)));
        fields.add("high", format!("{least}{}", took(estimate.high_ms)));
        if estimate.cost > 0.0 {
            fields.add("cost", format!("{least}${:.4}", estimate.cost));
        }
        fields.add("way", nodes(&estimate.critical_path, " → "));
        fields.add("unknown", nodes(&estimate.unknown, ", "));
        fields.add("waiting", nodes(&estimate.waiting, ", "));
        fields.add("repeated", nodes(&estimate.repeated, ", "));
        fields.add("idle", nodes(&estimate.idle, ", "));
        if let Some(recorded) = &estimated.recorded {
            let (median, high) = (took(recorded.median_ms), took(recorded.p90_ms));
            fields.add("recorded", format!("{median}, high {high}, in {} runs of the graph", recorded.runs));
        }
        let mut table = Table::new(&["block", "runs", "median", "high"], 0);
        estimated.blocks.iter().for_each(|block| table.row(row(block)));
        fields.above(&table.render(screen))
    })
}

fn row(block: &BlockRuns) -> Vec<Cell> {
    let version = block.version.map(|version| format!("@{version}")).unwrap_or_default();
    vec![
        Cell::painted(NAME, format!("{}{version}", block.block)),
        block.statistics.runs.to_string().into(),
        took(block.statistics.median_ms).into(),
        took(block.statistics.p90_ms).into(),
    ]
}

fn took(ms: f64) -> String {
    time::took((ms * 1e3).round() as u64)
}

/// A graph may have very many.
fn nodes(ids: &[String], between: &str) -> String {
    const SHOWN: usize = 30;
    let mut shown: Vec<String> = ids.iter().take(SHOWN).map(|id| printable(id)).collect();
    if ids.len() > SHOWN {
        shown.push(format!("{} more", ids.len() - SHOWN));
    }
    shown.join(between)
}
