//! Which nodes of a graph run, which more than once, and the longest way through them.

use std::collections::{BTreeSet, HashMap, VecDeque};

use crate::graph::GraphContent;
use crate::graph::builtin::Builtin;
use crate::graph::components::components;

/// Which node gives values to which.
pub(super) struct Flow {
    next: Vec<Vec<usize>>,
    /// For each link its nodes and the place of its pin among the linked pins of the sink.
    links: Vec<(usize, usize, usize)>,
    pins: Vec<usize>,
    component: Vec<usize>,
}

impl Flow {
    pub(super) fn of(content: &GraphContent) -> Flow {
        let positions = content.positions();
        let mut next = vec![Vec::new(); content.nodes.len()];
        let mut links = Vec::with_capacity(content.links.len());
        let mut pins = vec![0; content.nodes.len()];
        let mut places = HashMap::new();
        for link in &content.links {
            let (Some(from), Some(to)) = (positions.get(link.from.as_str()), positions.get(link.to.as_str()))
            else {
                continue;
            };
            let place = *places.entry((*to, link.to_pin.as_str())).or_insert_with(|| {
                pins[*to] += 1;
                pins[*to] - 1
            });
            next[*from].push(*to);
            links.push((*from, *to, place));
        }
        let component = components(&next);
        Flow { next, links, pins, component }
    }

    /// A node runs if each of its linked pins can get a value.
    pub(super) fn running(&self, content: &GraphContent) -> Vec<bool> {
        let can = |at: usize| !content.nodes[at].builtin().is_some_and(Builtin::is_inert);
        let starts = |at: &usize| {
            can(*at) && (self.pins[*at] == 0 || content.nodes[*at].builtin() == Some(Builtin::Input))
        };
        let mut open: VecDeque<usize> = (0..self.pins.len()).filter(starts).collect();
        let mut runs = vec![false; self.pins.len()];
        open.iter().for_each(|at| runs[*at] = true);
        let mut of_node = vec![Vec::new(); self.pins.len()];
        for (from, to, place) in &self.links {
            of_node[*from].push((*to, *place));
        }
        let mut fed: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.pins.len()];
        while let Some(at) = open.pop_front() {
            for (to, place) in &of_node[at] {
                fed[*to].insert(*place);
                if fed[*to].len() == self.pins[*to] && !runs[*to] && can(*to) {
                    runs[*to] = true;
                    open.push_back(*to);
                }
            }
        }
        runs
    }

    /// What is part of a cycle, has several links to one pin, or comes after either or after a list that is taken apart.
    pub(super) fn repeated(&self, content: &GraphContent, runs: &[bool]) -> Vec<usize> {
        let mut links = HashMap::new();
        for (_, to, place) in &self.links {
            *links.entry((*to, *place)).or_insert(0) += 1;
        }
        let mut sizes = vec![0; self.next.len()];
        self.component.iter().for_each(|component| sizes[*component] += 1);
        let mut repeated: BTreeSet<usize> =
            links.into_iter().filter(|(_, count)| *count > 1).map(|((to, _), _)| to).collect();
        for (at, next) in self.next.iter().enumerate() {
            if sizes[self.component[at]] > 1 || next.contains(&at) {
                repeated.insert(at);
            }
            if content.nodes[at].builtin() == Some(Builtin::Iterate) {
                repeated.extend(next);
            }
        }
        let mut open: Vec<usize> = repeated.iter().copied().collect();
        while let Some(at) = open.pop() {
            // All that came is one list.
            if content.nodes[at].builtin() == Some(Builtin::Collect) {
                repeated.remove(&at);
                continue;
            }
            open.extend(self.next[at].iter().filter(|to| repeated.insert(**to)));
        }
        repeated.into_iter().filter(|at| runs[*at]).collect()
    }

    /// The longest way, of which each cycle is one step that takes as long as its nodes together.
    pub(super) fn longest(&self, runs: &[bool], times: &[f64]) -> (f64, Vec<usize>) {
        let count = self.component.iter().max().map_or(0, |last| last + 1);
        let mut members = vec![Vec::new(); count];
        for (at, component) in self.component.iter().enumerate().filter(|(at, _)| runs[*at]) {
            members[*component].push(at);
        }
        // Components are numbered from the ends of the graph to its starts.
        let mut ways: Vec<(f64, Option<usize>)> = vec![(0.0, None); count];
        for component in 0..count {
            let after =
                members[component].iter().flat_map(|at| &self.next[*at]).map(|to| self.component[*to]);
            let after = after.filter(|next| *next != component && !members[*next].is_empty());
            let best = after.max_by(|one, other| ways[*one].0.total_cmp(&ways[*other].0));
            let own: f64 = members[component].iter().map(|at| times[*at]).sum();
            ways[component] = (own + best.map_or(0.0, |next| ways[next].0), best);
        }
        let first = (0..count)
            .filter(|at| !members[*at].is_empty())
            .max_by(|one, other| ways[*one].0.total_cmp(&ways[*other].0));
        let path = std::iter::successors(first, |at| ways[*at].1);
        (first.map_or(0.0, |at| ways[at].0), path.flat_map(|at| members[at].clone()).collect())
    }
}
