//! Ids, repetitions and sizes.

use std::collections::HashSet;

use super::MAX_COLLECTS;
use super::problem::{Code, Problem};
use crate::graph::builtin::Builtin;
use crate::graph::content::{MAX_ID_BYTES, MAX_LINKS, MAX_NODE_BYTES, MAX_NODES, MAX_PIN_BYTES};
use crate::graph::pin_path::PinPath;
use crate::graph::{GraphContent, Link};
use crate::input::json_size::json_size;

pub(super) fn check(content: &GraphContent) -> Vec<Problem> {
    let mut problems = Vec::new();
    nodes(content, &mut problems);
    links(content, &mut problems);
    problems
}

/// More than this is not looked at any further.
pub(super) fn counts(content: &GraphContent) -> Vec<Problem> {
    let mut problems = Vec::new();
    let collects = content.nodes.iter().filter(|node| node.builtin() == Some(Builtin::Collect)).count();
    let limits = [
        ("nodes", content.nodes.len(), MAX_NODES),
        ("links", content.links.len(), MAX_LINKS),
        ("`@collect` nodes", collects, MAX_COLLECTS),
    ];
    for (what, count, most) in limits {
        if count > most {
            let advice = "put parts of it in graphs of their own";
            let message = format!("the graph has {count} {what}, more than the {most} it may have; {advice}");
            problems.push(Problem::new(Code::TooLarge, message));
        }
    }
    problems
}

fn nodes(content: &GraphContent, problems: &mut Vec<Problem>) {
    let mut ids = HashSet::with_capacity(content.nodes.len());
    for node in &content.nodes {
        if node.id.is_empty() {
            problems.push(Problem::new(Code::EmptyId, "a node has an empty id; give it one").at(&node.id));
        }
        if !ids.insert(node.id.as_str()) {
            let message = "two nodes have this id; give each its own";
            problems.push(Problem::new(Code::DuplicateNode, message).at(&node.id));
        }
        let id = ("an id", node.id.len(), MAX_ID_BYTES);
        let block = ("the name of a block", node.block.len(), MAX_ID_BYTES);
        let pins = node.input.keys().map(|pin| ("a pin", pin.len(), MAX_PIN_BYTES));
        problems.extend(too_long([id, block].into_iter().chain(pins)).map(|problem| problem.at(&node.id)));
        let bytes = json_size(node);
        if bytes > MAX_NODE_BYTES {
            let advice = "hand large values in as the input of a run";
            let message =
                format!("it has {bytes} bytes, more than the {MAX_NODE_BYTES} a node may have; {advice}");
            problems.push(Problem::new(Code::TooLarge, message).at(&node.id));
        }
    }
}

fn too_long<'a>(texts: impl Iterator<Item = (&'a str, usize, usize)>) -> impl Iterator<Item = Problem> {
    texts.filter(|(_, bytes, most)| bytes > most).map(|(what, bytes, most)| {
        let message = format!("{what} has {bytes} bytes, more than the {most} it may have; shorten it");
        Problem::new(Code::TooLarge, message)
    })
}

fn links(content: &GraphContent, problems: &mut Vec<Problem>) {
    let (mut ids, mut ends) = (HashSet::new(), HashSet::with_capacity(content.links.len()));
    for link in &content.links {
        if link.id.as_ref().is_some_and(|id| !ids.insert(id.as_str())) {
            let message =
                format!("two links have the id `{}`; give each its own", link.id.as_deref().unwrap_or(""));
            problems
                .push(Problem::new(Code::DuplicateLink, message).at(&link.to).pin(&link.to_pin).link(link));
        }
        if !ends.insert(same(link)) {
            let message = format!("the link {link} is there twice; remove one");
            problems
                .push(Problem::new(Code::DuplicateLink, message).at(&link.to).pin(&link.to_pin).link(link));
        }
        let texts = [&link.from_pin, &link.to_pin].map(|pin| ("a pin", pin.len(), MAX_PIN_BYTES));
        let id = link.id.iter().map(|id| ("the id of a link", id.len(), MAX_ID_BYTES));
        problems.extend(too_long(texts.into_iter().chain(id)).map(|problem| problem.at(&link.to).link(link)));
    }
}

/// Links are the same if they join the same pins, however these are spelled.
fn same(link: &Link) -> (&str, Result<PinPath, &str>, &str, Result<PinPath, &str>) {
    let pin = |text| PinPath::parse(text).map_err(|_| text);
    (&link.from, pin(&link.from_pin), &link.to, pin(&link.to_pin))
}
