//! Making a graph one that can be stored and run: whatever `check` finds is repaired, with a note.

mod convert;
mod repair;
mod stand_in;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use self::repair::Repair;
use super::import::Incoming;
use super::report::ImportReport;
use crate::graph::block::BlockSignature;
use crate::graph::check::Problem;
use crate::graph::{Blocks, GraphContent, Missing, check};
use crate::version::VersionNumber;

/// A repair may show the next problem: a converter leads to a pin that is not there, and so on. They are few.
const ROUNDS: usize = 12;

/// Repairs all of them. What cannot be repaired is answered.
pub(super) fn fit(
    all: &mut [Incoming],
    blocks: &dyn Blocks,
    report: &mut ImportReport,
) -> Result<(), Vec<Problem>> {
    // The pins of one graph may change by its repair, and with them what is wrong with those that call it.
    for _ in 0..ROUNDS {
        let known = Known::of(all, blocks);
        let mut changed = false;
        for incoming in &mut *all {
            changed |= fit_one(incoming, &known, report)?;
        }
        if !changed {
            return Ok(());
        }
    }
    let known = Known::of(all, blocks);
    let problems: Vec<Problem> = all.iter().flat_map(|incoming| errors(incoming, &known)).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Whether anything had to be repaired.
fn fit_one(
    incoming: &mut Incoming,
    blocks: &dyn Blocks,
    report: &mut ImportReport,
) -> Result<bool, Vec<Problem>> {
    let mut changed = false;
    for _ in 0..ROUNDS {
        let problems = errors(incoming, blocks);
        if problems.is_empty() {
            return Ok(changed);
        }
        changed = true;
        let hopeless = Repair::new(incoming, blocks, report).all(problems);
        if !hopeless.is_empty() {
            return Err(hopeless);
        }
    }
    Ok(true)
}

fn errors(incoming: &Incoming, blocks: &dyn Blocks) -> Vec<Problem> {
    let problems = check(&incoming.content, Some(&incoming.name), blocks);
    problems.into_iter().filter(Problem::is_error).collect()
}

/// The graphs of the file, and what there is besides.
struct Known<'a> {
    graphs: HashMap<String, (Arc<BlockSignature>, Arc<GraphContent>)>,
    blocks: &'a dyn Blocks,
    signatures: RefCell<HashMap<String, Result<Arc<BlockSignature>, Missing>>>,
}

impl<'a> Known<'a> {
    fn of(all: &[Incoming], blocks: &'a dyn Blocks) -> Known<'a> {
        let graphs = all.iter().map(|incoming| {
            let signature = Arc::new(BlockSignature::of_graph(&incoming.content));
            (incoming.name.to_string(), (signature, Arc::new(incoming.content.clone())))
        });
        Known { graphs: graphs.collect(), blocks, signatures: RefCell::default() }
    }
}

impl Blocks for Known<'_> {
    fn signature(&self, name: &str, version: Option<VersionNumber>) -> Result<Arc<BlockSignature>, Missing> {
        if let Some((signature, _)) = self.graphs.get(name) {
            return Ok(Arc::clone(signature));
        }
        if version.is_some() {
            return self.blocks.signature(name, version);
        }
        let mut known = self.signatures.borrow_mut();
        known.entry(name.to_owned()).or_insert_with(|| self.blocks.signature(name, None)).clone()
    }

    fn graph(&self, name: &str, version: Option<VersionNumber>) -> Option<Arc<GraphContent>> {
        match self.graphs.get(name) {
            Some((_, content)) => Some(Arc::clone(content)),
            None => self.blocks.graph(name, version),
        }
    }
}

/// A text like the one wanted that is not taken.
pub(super) fn unique(wanted: &str, is_taken: &dyn Fn(&str) -> bool) -> String {
    let mut text = wanted.to_owned();
    let mut number = 2;
    while is_taken(&text) {
        text = format!("{wanted} {number}");
        number += 1;
    }
    text
}
