//! How values flow: where a run begins, where it can go round, and what it never reaches.

use std::collections::{BTreeMap, BTreeSet};

use super::problem::{Code, Problem, quoted};
use crate::graph::builtin::Builtin;
use crate::graph::components::components;
use crate::graph::resolve::Resolved;
use crate::graph::slots::Slots;

pub(super) fn check(resolved: &Resolved<'_>, problems: &mut Vec<Problem>) {
    cycles(resolved, problems);
    let starts = starts(resolved);
    if starts.iter().any(|starts| *starts) {
        never_starts(resolved, starts, problems);
    } else {
        let advice = "add an `@input`, or a node whose pins are not linked";
        problems
            .push(Problem::new(Code::NothingToStart, format!("there is no node to start with; {advice}")));
    }
}

fn builtin(resolved: &Resolved<'_>, node: usize) -> Option<Builtin> {
    resolved.nodes[node].as_ref().and_then(|node| node.builtin)
}

/// The nodes that a run begins with.
fn starts(resolved: &Resolved<'_>) -> Vec<bool> {
    let positions = resolved.content.positions();
    let mut starts: Vec<bool> = (0..resolved.nodes.len())
        .map(|node| !builtin(resolved, node).is_some_and(Builtin::is_inert))
        .collect();
    for link in &resolved.content.links {
        if let Some(to) = positions.get(link.to.as_str()) {
            starts[*to] &= builtin(resolved, *to) == Some(Builtin::Input);
        }
    }
    starts
}

fn cycles(resolved: &Resolved<'_>, problems: &mut Vec<Problem>) {
    let mut next = vec![Vec::new(); resolved.nodes.len()];
    for link in resolved.links.iter().flatten() {
        next[link.from].push(link.to);
    }
    let components = components(&next);
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (node, component) in components.iter().enumerate() {
        members.entry(*component).or_default().push(node);
    }
    members.retain(|_, nodes| nodes.len() > 1 || next[nodes[0]].contains(&nodes[0]));
    let mut cycles: Vec<Vec<usize>> = members.into_values().collect();
    cycles.sort();
    for cycle in cycles {
        problems.extend(cycle_problem(resolved, &cycle));
        for node in cycle.iter().filter(|node| builtin(resolved, **node) == Some(Builtin::Collect)) {
            let advice = "put what goes round in a graph of its own";
            let message = format!("waits for the end of a cycle that it is part of; {advice}");
            problems.push(Problem::new(Code::CollectInCycle, message).at(&resolved.content.nodes[*node].id));
        }
    }
}

fn cycle_problem(resolved: &Resolved<'_>, cycle: &[usize]) -> Option<Problem> {
    const NAMED: usize = 6;
    if resolved.content.budget.is_some() {
        return None;
    }
    let ids = || cycle.iter().map(|node| resolved.content.nodes[*node].id.clone());
    let more = if cycle.len() > NAMED { " and more" } else { "" };
    let message = format!(
        "there is a cycle through {}{more}; set `budget` to how many node executions a run may have",
        quoted(ids().take(NAMED))
    );
    Some(Problem::new(Code::CycleWithoutBudget, message).at(&ids().next()?))
}

/// A node runs once each of its linked pins can get a value. What remains waits for ever.
fn never_starts(resolved: &Resolved<'_>, starts: Vec<bool>, problems: &mut Vec<Problem>) {
    let slots = Slots::of(resolved);
    let mut waits: Vec<BTreeSet<usize>> =
        slots.of_node.iter().map(|slots| (0..slots.len()).collect()).collect();
    let mut next: Vec<Vec<(usize, usize)>> = vec![Vec::new(); resolved.nodes.len()];
    for (link, slot) in resolved.links.iter().zip(&slots.of_link) {
        if let (Some(link), Some(slot)) = (link, slot) {
            next[link.from].push((link.to, *slot));
        }
    }
    let mut runs = starts;
    // What a broken node gives is not known, and a list of nothing is a list.
    for (at, node) in resolved.nodes.iter().enumerate() {
        runs[at] |= node.as_ref().is_none_or(|node| node.builtin == Some(Builtin::Collect));
    }
    let mut open: Vec<usize> = (0..runs.len()).filter(|node| runs[*node]).collect();
    while let Some(node) = open.pop() {
        for (to, slot) in &next[node] {
            waits[*to].remove(slot);
            let inert = builtin(resolved, *to).is_some_and(Builtin::is_inert);
            if waits[*to].is_empty() && !runs[*to] && !inert {
                runs[*to] = true;
                open.push(*to);
            }
        }
    }
    for (at, waits) in waits.iter().enumerate() {
        let is_known = resolved.nodes[at].is_some() && !builtin(resolved, at).is_some_and(Builtin::is_inert);
        if runs[at] || !is_known {
            continue;
        }
        let Some(slot) = waits.first() else { continue };
        let message = "never gets a value, so the node never runs; link it to a node that runs";
        let problem = Problem::warning(Code::NeverStarts, message).at(&resolved.content.nodes[at].id);
        problems.push(problem.pin(slots.of_node[at][*slot].as_str()));
    }
}
