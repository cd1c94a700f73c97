//! Checking a Graph when it is saved: all problems at once, each with its node and pin, and what to do about it.

mod flow;
mod limits;
mod nesting;
mod pins;
mod problem;
mod structure;

pub(in crate::graph) use self::problem::suggests;
pub use self::problem::{Code, LinkEnds, Problem};
use super::GraphContent;
use super::resolve::{Blocks, resolve};
use crate::name::EntryName;

/// More than a graph needs. Each is told of every execution upstream of it, which costs time and memory.
pub const MAX_COLLECTS: usize = 200;

/// Everything that is wrong with a Graph that is to be saved under this name. Only errors are in the way of saving it.
pub fn check(content: &GraphContent, name: Option<&EntryName>, blocks: &dyn Blocks) -> Vec<Problem> {
    let mut problems = structure::counts(content);
    if !problems.is_empty() {
        return problems;
    }
    problems = structure::check(content);
    limits::check(content, &mut problems);
    let resolved = resolve(content, blocks, &mut problems);
    pins::check(&resolved, &mut problems);
    flow::check(&resolved, &mut problems);
    if let Some(name) = name {
        nesting::check(content, name, blocks, &mut problems);
    }
    problems
}

impl GraphContent {
    /// What is wrong whatever its blocks are.
    pub fn flaws(&self) -> Vec<Problem> {
        let mut problems = structure::counts(self);
        if !problems.is_empty() {
            return problems;
        }
        problems = structure::check(self);
        let positions = self.positions();
        for link in &self.links {
            for (end, pin) in [(&link.from, &link.from_pin), (&link.to, &link.to_pin)] {
                if !positions.contains_key(end.as_str()) {
                    problems
                        .push(Problem::link_to_nowhere(link, end, &positions, suggests(&problems)).pin(pin));
                }
            }
        }
        problems
    }
}
