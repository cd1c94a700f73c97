//! A Graph must not contain itself, neither directly nor inside of another.

use std::collections::HashSet;
use std::sync::Arc;

use super::problem::{Code, Problem};
use crate::graph::resolve::Blocks;
use crate::graph::{GraphContent, Node};
use crate::name::EntryName;
use crate::version::VersionNumber;

type Named = (String, Option<VersionNumber>);

pub(super) fn check(
    content: &GraphContent,
    name: &EntryName,
    blocks: &dyn Blocks,
    problems: &mut Vec<Problem>,
) {
    let mut search = Search { name: name.as_str(), blocks, harmless: HashSet::new() };
    for node in &content.nodes {
        if let Some(way) = called(node).and_then(|called| search.way_back(called)) {
            let way: Vec<String> = way.into_iter().map(|name| format!("`{name}`")).collect();
            let message =
                format!("the graph would contain itself, by way of {}; call another", way.join(" → "));
            problems.push(Problem::new(Code::ContainsItself, message).at(&node.id));
        }
    }
}

fn called(node: &Node) -> Option<Named> {
    node.calls().map(|(name, version)| (name.to_owned(), version))
}

struct Search<'a> {
    name: &'a str,
    blocks: &'a dyn Blocks,
    /// Those from which the graph is not reached.
    harmless: HashSet<Named>,
}

impl Search<'_> {
    /// From what a node calls to the graph itself, depth first.
    fn way_back(&mut self, first: Named) -> Option<Vec<String>> {
        let mut way: Vec<(Named, Option<Arc<GraphContent>>, usize)> = Vec::new();
        let mut next = Some(first);
        loop {
            if let Some(named) = next.take() {
                if named.0 == self.name {
                    let names = way.into_iter().map(|((name, _), ..)| name);
                    return Some(names.chain([named.0]).collect());
                }
                if self.harmless.insert(named.clone()) {
                    let graph = self.blocks.graph(&named.0, named.1);
                    way.push((named, graph, 0));
                }
            }
            let (_, graph, done) = way.last_mut()?;
            match graph.as_ref().and_then(|graph| graph.nodes.get(*done)) {
                Some(node) => {
                    *done += 1;
                    next = called(node);
                }
                None => {
                    way.pop();
                }
            }
        }
    }
}
