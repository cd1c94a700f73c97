//! What lies upstream of the nodes that collect, and which nodes lie on cycles.

use crate::graph::builtin::Builtin;
use crate::graph::components::components;
use crate::graph::resolve::Resolved;

pub(super) struct Upstream {
    component: Vec<usize>,
    /// All that collect.
    pub(super) collects: Vec<usize>,
    /// For each node those that collect what comes of it. Not itself, nor any on a cycle with it.
    pub(super) collected_by: Vec<Vec<usize>>,
    /// For each that collects, how many upstream of it do so too.
    pub(super) collects_upstream: Vec<usize>,
}

impl Upstream {
    pub(super) fn of(resolved: &Resolved<'_>) -> Upstream {
        let count = resolved.nodes.len();
        let (mut next, mut before) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for link in resolved.links.iter().flatten() {
            next[link.from].push(link.to);
            before[link.to].push(link.from);
        }
        let is_collect = |node: &usize| {
            resolved.nodes[*node].as_ref().is_some_and(|node| node.builtin == Some(Builtin::Collect))
        };
        let mut upstream = Upstream {
            component: components(&next),
            collects: (0..count).filter(is_collect).collect(),
            collected_by: vec![Vec::new(); count],
            collects_upstream: vec![0; count],
        };
        for collect in upstream.collects.clone() {
            upstream.walk(collect, &before);
        }
        upstream
    }

    fn walk(&mut self, collect: usize, before: &[Vec<usize>]) {
        let mut seen = vec![false; before.len()];
        let mut open = vec![collect];
        while let Some(node) = open.pop() {
            for from in &before[node] {
                if std::mem::replace(&mut seen[*from], true) {
                    continue;
                }
                open.push(*from);
                if self.component[*from] != self.component[collect] {
                    self.collected_by[*from].push(collect);
                    self.collects_upstream[collect] += usize::from(self.collects.binary_search(from).is_ok());
                }
            }
        }
    }

    pub(super) fn are_in_one_cycle(&self, a: usize, b: usize) -> bool {
        self.component[a] == self.component[b]
    }
}
