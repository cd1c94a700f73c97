//! Pins: what is missing, what does not fit, and what contradicts itself.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::problem::{Code, Problem};
use crate::graph::fit::{cannot_fit, part_schema};
use crate::graph::pin_path::{Gaps, Part, PinPath, write_at};
use crate::graph::resolve::{Resolved, ResolvedLink, ResolvedNode};
use crate::graph::slots::Slots;
use crate::phrase::cut;

pub(super) fn check(resolved: &Resolved<'_>, problems: &mut Vec<Problem>) {
    let slots = Slots::of(resolved);
    let (broken, mut gaps) = (broken_links(resolved), Gaps::default());
    for (at, node) in resolved.nodes.iter().enumerate() {
        let Some(node) = node else { continue };
        let before = problems.len();
        required(node, at, &slots, broken.get(&at), problems);
        let contradictory = conflicts(node, at, &slots, problems);
        constants(node, at, &slots, contradictory, &mut gaps, problems);
        for problem in &mut problems[before..] {
            problem.node = Some(resolved.content.nodes[at].id.clone());
        }
    }
    for link in resolved.links.iter().flatten() {
        problems.extend(mismatch(resolved, link));
    }
}

/// The pins that are reached by links with some other problem, by node: they are not missing too.
fn broken_links<'a>(resolved: &Resolved<'a>) -> HashMap<usize, BTreeSet<&'a str>> {
    let positions = resolved.content.positions();
    let mut broken: HashMap<usize, BTreeSet<&str>> = HashMap::new();
    for (link, found) in resolved.content.links.iter().zip(&resolved.links) {
        if let (None, Some(to)) = (found, positions.get(link.to.as_str())) {
            broken.entry(*to).or_default().insert(&link.to_pin);
        }
    }
    broken
}

fn required(
    node: &ResolvedNode<'_>,
    at: usize,
    slots: &Slots,
    broken: Option<&BTreeSet<&str>>,
    problems: &mut Vec<Problem>,
) {
    let given: HashSet<&str> = node.constants.iter().map(|(path, _)| path.pin()).collect();
    for pin in node.block.signature.inputs.iter().filter(|pin| pin.required) {
        let is_broken = broken.is_some_and(|pins| begins_one(pins, &pin.name));
        if is_broken || slots.has(at, &pin.name) || given.contains(pin.name.as_str()) {
            continue;
        }
        let message = "is required; link it or give it a constant";
        problems.push(Problem::new(Code::MissingInput, message).pin(&pin.name));
    }
}

/// Whether one of the texts begins with this one. In their order it is the first that is not before it.
fn begins_one(texts: &BTreeSet<&str>, start: &str) -> bool {
    texts.range(start..).next().is_some_and(|text| text.starts_with(start))
}

/// A value cannot be a list for one path and an object for another.
fn conflicts<'a>(
    node: &'a ResolvedNode<'_>,
    at: usize,
    slots: &'a Slots,
    problems: &mut Vec<Problem>,
) -> HashSet<&'a str> {
    let mut contradictory = HashSet::new();
    let constants = node.constants.iter().map(|(path, _)| path).filter(|path| !slots.replaces(at, path));
    let mut first: HashMap<(&str, &[Part]), &PinPath> = HashMap::new();
    for path in slots.of_node[at].iter().chain(constants) {
        for (depth, part) in path.parts().iter().enumerate() {
            let other = *first.entry((path.pin(), &path.parts()[..depth])).or_insert(path);
            let is_key = |part: &Part| matches!(part, Part::Key(_));
            if is_key(&other.parts()[depth]) != is_key(part) {
                let message =
                    format!("makes a list of what `{other}` makes an object, or the other way; use one kind");
                problems.push(Problem::new(Code::PinConflict, message).pin(path.as_str()));
                contradictory.insert(path.pin());
                break;
            }
        }
    }
    contradictory
}

/// Constants must fit as far as nothing else arrives in their place.
fn constants<'a>(
    node: &'a ResolvedNode<'_>,
    at: usize,
    slots: &Slots,
    mut refused: HashSet<&'a str>,
    gaps: &mut Gaps,
    problems: &mut Vec<Problem>,
) {
    let mut built: HashMap<&str, Value> = HashMap::new();
    let is_whole = |path: &PinPath| !slots.replaces(at, path) && !slots.is_part(at, path);
    for (path, value) in node.constants.iter().filter(|(path, _)| is_whole(path)) {
        if refused.contains(path.pin()) {
            continue;
        }
        let target = built.entry(path.pin()).or_default();
        if let Err(error) = write_at(target, path.pin(), path.parts(), (*value).clone(), gaps) {
            problems.push(Problem::new(Code::WrongConstant, error.to_string()).pin(path.as_str()));
            refused.insert(path.pin());
        }
    }
    for (path, _) in &node.constants {
        let Some(value) = built.remove(path.pin()) else { continue };
        if slots.has(at, path.pin()) || refused.contains(path.pin()) {
            continue;
        }
        if let Err(error) = node.block.check_input(path.pin(), &value) {
            problems.push(Problem::new(Code::WrongConstant, error.to_string()).pin(path.as_str()));
        }
    }
}

fn mismatch(resolved: &Resolved<'_>, link: &ResolvedLink<'_>) -> Option<Problem> {
    let (source, sink) = (resolved.nodes[link.from].as_ref()?, resolved.nodes[link.to].as_ref()?);
    let given = &source.block.output(link.from_pin.pin())?.schema;
    let no_part = |path: &PinPath, id: &str, schema: &Value| {
        let message =
            format!("`{}` is {}, which has no such part; link the whole pin", path.pin(), shown(schema));
        Problem::new(Code::CannotFit, message).at(id).pin(path.as_str()).link(link.link)
    };
    let Some(part) = part_schema(given, link.from_pin.parts()) else {
        return Some(no_part(&link.from_pin, &link.link.from, given));
    };
    let wanted = &sink.block.input(link.to_pin.pin())?.schema;
    let Some(wanted_part) = part_schema(wanted, link.to_pin.parts()) else {
        return Some(no_part(&link.to_pin, &link.link.to, wanted));
    };
    cannot_fit(&part, &wanted_part).then(|| {
        let (from, from_pin) = (cut(&link.link.from, 60), &link.from_pin);
        let message = format!(
            "takes {}, but node `{from}` gives {} on `{from_pin}`; link another pin or convert the value",
            shown(&wanted_part),
            shown(&part),
        );
        Problem::new(Code::CannotFit, message).at(&link.link.to).pin(link.to_pin.as_str()).link(link.link)
    })
}

/// A schema in a few characters.
fn shown(schema: &Value) -> String {
    match schema.get("type") {
        Some(Value::String(name)) => format!("`{name}`"),
        _ => format!("`{}`", cut(&schema.to_string(), 80)),
    }
}
