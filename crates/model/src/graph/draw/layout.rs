//! Where the boxes of a graph are, and what is in them.

use std::collections::HashMap;

use super::label::{LINE, constant, line, title, width};
use super::ranks::layers;
use crate::graph::{GraphContent, Link, Node};

pub(super) const CHARACTER: f64 = 7.2;
pub(super) const ROW: f64 = 18.0;
pub(super) const HEAD: f64 = 42.0;
const PADDING: f64 = 12.0;
/// Between layers, for the links.
const ACROSS: f64 = 90.0;
const DOWN: f64 = 26.0;
const MARGIN: f64 = 24.0;
/// A node of a generated graph may have very many; the last row says how many more there are.
const MAX_ROWS: usize = 24;

/// A graph, placed. Sizes are in pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    pub width: f64,
    pub height: f64,
    /// In the order of the nodes.
    pub boxes: Vec<NodeBox>,
    /// In the order of the links. One that names a node the graph does not have is missing.
    pub wires: Vec<Wire>,
}

/// One node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeBox {
    pub id: String,
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    /// Counted from 0, from left to right.
    pub layer: usize,
    pub title: String,
    /// Its id and block, as far as the title does not say the same.
    pub subtitle: String,
    pub inputs: Vec<Row>,
    pub outputs: Vec<Row>,
}

/// One pin.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub pin: String,
    /// The pin, and its constant if it is given one.
    pub label: String,
}

/// One link, from the right side of a box to the left side of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Wire {
    /// Its place in the graph.
    pub link: usize,
    pub from: (f64, f64),
    pub to: (f64, f64),
    pub is_static: bool,
    /// Whether it leads to the same layer or to one before.
    pub is_back: bool,
}

impl Layout {
    pub fn of(content: &GraphContent) -> Layout {
        let positions = content.positions();
        let end = |id: &str| positions.get(id).copied();
        let ends: Vec<Option<(usize, usize)>> =
            content.links.iter().map(|link| Some((end(&link.from)?, end(&link.to)?))).collect();
        let mut boxes = boxes(content, &ends);
        let links: Vec<(usize, usize)> = ends.iter().flatten().copied().collect();
        let size = place(&mut boxes, &layers(content.nodes.len(), &links));
        let wires = ends.iter().enumerate().filter_map(|(at, ends)| {
            let (from, to) = (*ends)?;
            Some(wire(at, &content.links[at], &boxes[from], &boxes[to]))
        });
        let wires = wires.collect();
        Layout { width: size.0, height: size.1, boxes, wires }
    }
}

fn boxes(content: &GraphContent, ends: &[Option<(usize, usize)>]) -> Vec<NodeBox> {
    let mut pins: Vec<(Vec<&str>, Vec<&str>)> = vec![Default::default(); content.nodes.len()];
    for (link, ends) in content.links.iter().zip(ends) {
        if let Some((from, to)) = ends {
            pins[*from].1.push(&link.from_pin);
            pins[*to].0.push(&link.to_pin);
        }
    }
    content.nodes.iter().zip(pins).map(|(node, (inputs, outputs))| card(node, inputs, outputs)).collect()
}

fn card<'a>(node: &'a Node, mut inputs: Vec<&'a str>, outputs: Vec<&'a str>) -> NodeBox {
    inputs.extend(node.input.keys().map(String::as_str));
    let label = |pin: &str| match node.input.get(pin) {
        Some(value) => line(&format!("{} = {}", line(pin, LINE / 2), constant(value)), LINE),
        None => line(pin, LINE / 2),
    };
    let name = title(node);
    let same = name == node.id || node.block.trim_start_matches('@') == node.id;
    let subtitle = if same { node.block.clone() } else { format!("{} · {}", node.id, node.block) };
    let (inputs, outputs) = (rows(inputs, &label), rows(outputs, &|pin| line(pin, LINE / 2)));
    let (title, subtitle) = (line(&name, super::label::TITLE), line(&subtitle, LINE));
    let widest = |rows: &[Row]| rows.iter().map(|row| width(&row.label)).max().unwrap_or(0);
    let columns = [width(&title) + 2, width(&subtitle), widest(&inputs) + widest(&outputs) + 3, 12];
    NodeBox {
        id: node.id.clone(),
        x: 0.0,
        y: 0.0,
        width: columns.into_iter().max().unwrap_or(0) as f64 * CHARACTER + 2.0 * PADDING,
        height: HEAD + inputs.len().max(outputs.len()) as f64 * ROW + PADDING,
        layer: 0,
        title,
        subtitle,
        inputs,
        outputs,
    }
}

/// Each pin once.
fn rows(pins: Vec<&str>, label: &dyn Fn(&str) -> String) -> Vec<Row> {
    let mut seen = std::collections::HashSet::new();
    let unique: Vec<&str> = pins.into_iter().filter(|pin| seen.insert(*pin)).collect();
    let mut rows: Vec<Row> =
        unique.iter().take(MAX_ROWS).map(|pin| Row { pin: (*pin).to_owned(), label: label(pin) }).collect();
    if unique.len() > MAX_ROWS {
        rows.push(Row { pin: String::new(), label: format!("… {} more", unique.len() - MAX_ROWS) });
    }
    rows
}

/// Gives each box its place, and answers with the size of all.
fn place(boxes: &mut [NodeBox], layers: &[Vec<usize>]) -> (f64, f64) {
    let height = |layer: &Vec<usize>| layer.iter().map(|node| boxes[*node].height + DOWN).sum::<f64>() - DOWN;
    let heights: Vec<f64> = layers.iter().map(height).collect();
    let tallest = heights.iter().copied().fold(0.0, f64::max);
    let mut x = MARGIN;
    for (at, layer) in layers.iter().enumerate() {
        let widest = layer.iter().map(|node| boxes[*node].width).fold(0.0, f64::max);
        let mut y = MARGIN + (tallest - heights[at]) / 2.0;
        for node in layer {
            let card = &mut boxes[*node];
            (card.x, card.y, card.layer) = (x, y, at);
            y += card.height + DOWN;
        }
        x += widest + ACROSS;
    }
    let width = if layers.is_empty() { 2.0 * MARGIN } else { x - ACROSS + MARGIN };
    (width, tallest + 2.0 * MARGIN)
}

fn wire(at: usize, link: &Link, from: &NodeBox, to: &NodeBox) -> Wire {
    Wire {
        link: at,
        from: (from.x + from.width, from.row(&from.outputs, &link.from_pin)),
        to: (to.x, to.row(&to.inputs, &link.to_pin)),
        is_static: link.is_static,
        is_back: to.layer <= from.layer,
    }
}

impl NodeBox {
    /// The middle of a pin's row; the last stands for all that are not shown.
    fn row(&self, rows: &[Row], pin: &str) -> f64 {
        let at = rows.iter().position(|row| row.pin == pin).unwrap_or(rows.len().saturating_sub(1));
        self.y + HEAD + (at as f64 + 0.5) * ROW
    }

    /// Whether the two share a point.
    pub fn overlaps(&self, other: &NodeBox) -> bool {
        let apart =
            |at: f64, size: f64, other: f64, other_size: f64| at + size <= other || other + other_size <= at;
        !apart(self.x, self.width, other.x, other.width) && !apart(self.y, self.height, other.y, other.height)
    }
}

/// Boxes by layer, for readers from left to right.
pub(super) fn by_layer(boxes: &[NodeBox]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|one, other| {
        let key = |at: &usize| (boxes[*at].layer, boxes[*at].y);
        key(one).partial_cmp(&key(other)).unwrap_or(std::cmp::Ordering::Equal)
    });
    order
}

/// The links by the box they leave.
pub(super) fn leaving(content: &GraphContent) -> HashMap<&str, Vec<&Link>> {
    let mut leaving: HashMap<&str, Vec<&Link>> = HashMap::new();
    for link in &content.links {
        leaving.entry(&link.from).or_default().push(link);
    }
    leaving
}
