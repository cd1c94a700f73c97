//! What stands at breakpoints, a node or value a line.

use server::app::runs::breakpoints::HeldView;

use crate::terminal::style::{NAME, paint, printable};
use crate::views::run;

pub(crate) fn lines(held: &[HeldView]) -> String {
    held.iter().map(one).collect()
}

fn one(held: &HeldView) -> String {
    let (head, value) = match held {
        HeldView::Node { node, number, input } => {
            let nth = if *number > 1 { format!(", execution {number}") } else { String::new() };
            (format!("before {}{nth}, with the input", paint(NAME, printable(node))), input)
        }
        HeldView::Link { link, value } => {
            (format!("on the link {}, the value", paint(NAME, printable(&link.to_string()))), value)
        }
    };
    let value: String = run::value(value).iter().map(|line| format!("  {line}\n")).collect();
    format!("{head}\n{value}")
}
