//! Nodes that could move to a newer version: how the pins differ, and what would not fit.

use model::graph::upgrade::{Change, PinChange, Side, Upgrade};
use serde_json::Value;

use super::trace::cut;
use crate::terminal::style::{BAD, DIM, ERROR, GOOD, NAME, paint, printable};

pub(crate) fn lines(upgrades: &[Upgrade]) -> String {
    upgrades.iter().map(one).collect()
}

fn one(upgrade: &Upgrade) -> String {
    let Upgrade { node, block, pinned, live, pins, problems } = upgrade;
    let fits = match (pins.is_empty(), problems.is_empty()) {
        (true, true) => paint(DIM, "  same pins"),
        (false, true) => paint(DIM, "  everything still fits"),
        (_, false) => String::new(),
    };
    let mut out =
        format!("{}: {} @{pinned} → @{live}{fits}\n", paint(NAME, printable(node)), printable(block));
    out.extend(pins.iter().map(|pin| format!("  {}\n", change(pin))));
    let problem = |problem: &model::graph::check::Problem| {
        format!("  {} {}\n", paint(ERROR, "error:"), printable(&problem.to_string()))
    };
    out.extend(problems.iter().map(problem));
    out
}

fn change(pin: &PinChange) -> String {
    let side = match pin.side {
        Side::Input => "input",
        Side::Output => "output",
    };
    let name = format!("{side} `{}`", printable(&pin.pin));
    let schema = |schema: &Option<Value>| cut(&schema.as_ref().map(Value::to_string).unwrap_or_default());
    match pin.change {
        Change::Removed => paint(BAD, format!("- {name}")),
        Change::Added => paint(GOOD, format!("+ {name} {}", schema(&pin.new))),
        Change::AddedRequired => paint(BAD, format!("+ {name} {}, required", schema(&pin.new))),
        Change::Type => format!("~ {name} {} → {}", schema(&pin.old), schema(&pin.new)),
        Change::NowRequired => paint(BAD, format!("~ {name} is now required")),
        Change::NoLongerRequired => format!("~ {name} is no longer required"),
    }
}
