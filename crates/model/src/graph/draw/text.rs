//! A Graph as text: a box for each node, in the order in which values flow, with its links below it.

use super::label::{LINE, line, width};
use super::layout::{Layout, NodeBox, by_layer, leaving};
use crate::graph::{GraphContent, Link};

/// What a box needs to say anything.
const LEAST: usize = 20;

/// At most so many columns wide, but never less than 20.
pub fn text(content: &GraphContent, columns: usize) -> String {
    let columns = columns.max(LEAST);
    let layout = Layout::of(content);
    let leaving = leaving(content);
    let mut out = String::new();
    for at in by_layer(&layout.boxes) {
        let card = &layout.boxes[at];
        let links = leaving.get(card.id.as_str()).map(Vec::as_slice).unwrap_or_default();
        draw(&mut out, card, links, columns);
    }
    let known = content.positions();
    for link in content.links.iter().filter(|link| !known.contains_key(link.from.as_str())) {
        out.push_str(&line(&format!("{link}"), columns));
        out.push('\n');
    }
    out
}

fn draw(out: &mut String, card: &NodeBox, links: &[&Link], columns: usize) {
    let rows: Vec<String> = card.inputs.iter().map(|row| row.label.clone()).collect();
    let leads: Vec<String> = links.iter().map(|link| lead(link)).collect();
    let lines = rows
        .iter()
        .chain(&leads)
        .map(|text| width(text))
        .chain([width(&card.title) + 1, width(&card.subtitle)]);
    let inner = lines.max().unwrap_or(0).min(columns - 4).max(LEAST - 4);
    let title = line(&card.title, inner - 1);
    out.push_str(&format!("┏━ {title} {}┓\n", "━".repeat(inner - 1 - width(&title))));
    let mut row = |text: &str, edge: char| {
        let text = line(text, inner);
        out.push_str(&format!("{edge} {text}{} ┃\n", " ".repeat(inner - width(&text))));
    };
    row(&card.subtitle, '┃');
    rows.iter().for_each(|text| row(text, '┃'));
    leads.iter().for_each(|text| row(text, '┠'));
    out.push_str(&format!("┗{}┛\n", "━".repeat(inner + 2)));
}

/// A static link is drawn double.
fn lead(link: &Link) -> String {
    let arrow = if link.is_static { "═▶" } else { "─▶" };
    format!("{} {arrow} {}.{}", line(&link.from_pin, LINE), link.to, link.to_pin)
}
