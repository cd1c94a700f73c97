//! Finding out what the nodes and links of a Graph mean: their Blocks and pins.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::block::BlockSignature;
use super::builtin::Builtin;
use super::check::{Code, Problem, suggests};
use super::compiled::CompiledBlock;
use super::content::MAX_PIN_BYTES;
use super::node::BlockName;
use super::pin_path::PinPath;
use super::{GraphContent, Link, Node};
use crate::version::VersionNumber;

/// What is known of the Functions and Graphs that nodes can name.
pub trait Blocks {
    /// The pins of a Function or Graph: of a Version, or of the live one.
    fn signature(&self, name: &str, version: Option<VersionNumber>) -> Result<Arc<BlockSignature>, Missing>;

    /// What a Graph holds, to see whether it contains itself. Nothing of what is no Graph.
    fn graph(&self, _name: &str, _version: Option<VersionNumber>) -> Option<Arc<GraphContent>> {
        None
    }

    /// A name that there is and that is much like this one.
    fn similar(&self, _name: &str) -> Option<String> {
        None
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing has that name.
    Name,
    /// It has no such Version.
    Version,
}

/// A Graph with everything in it that could be found out; what could not is `None` and has its problem.
#[derive(Debug)]
pub(super) struct Resolved<'a> {
    pub(super) content: &'a GraphContent,
    pub(super) nodes: Vec<Option<ResolvedNode<'a>>>,
    pub(super) links: Vec<Option<ResolvedLink<'a>>>,
}

#[derive(Debug)]
pub(super) struct ResolvedNode<'a> {
    pub(super) builtin: Option<Builtin>,
    pub(super) block: Arc<CompiledBlock>,
    /// Constants, parts after their wholes.
    pub(super) constants: Vec<(PinPath, &'a Value)>,
}

#[derive(Debug)]
pub(super) struct ResolvedLink<'a> {
    pub(super) link: &'a Link,
    pub(super) from: usize,
    pub(super) from_pin: PinPath,
    pub(super) to: usize,
    pub(super) to_pin: PinPath,
    pub(super) is_static: bool,
}

pub(super) fn resolve<'a>(
    content: &'a GraphContent,
    blocks: &dyn Blocks,
    problems: &mut Vec<Problem>,
) -> Resolved<'a> {
    let mut known = KnownBlocks { blocks, callable: HashMap::new(), builtin: HashMap::new() };
    let nodes = content.nodes.iter().map(|node| known.node(node, problems)).collect();
    let mut resolved = Resolved { content, nodes, links: Vec::new() };
    let positions = content.positions();
    resolved.links = content.links.iter().map(|link| resolved.link(link, &positions, problems)).collect();
    resolved
}

type LookedUp = Result<Arc<CompiledBlock>, Problem>;

/// Nodes with one Block share what is known of it.
struct KnownBlocks<'a, 'b> {
    blocks: &'b dyn Blocks,
    callable: HashMap<(&'a str, Option<VersionNumber>), LookedUp>,
    builtin: HashMap<Builtin, Arc<CompiledBlock>>,
}

impl<'a> KnownBlocks<'a, '_> {
    fn node(&mut self, node: &'a Node, problems: &mut Vec<Problem>) -> Option<ResolvedNode<'a>> {
        let (builtin, block) = match node.block_name() {
            Ok(BlockName::Builtin(builtin)) => (Some(builtin), Ok(self.builtin(builtin, node))),
            Ok(BlockName::Callable(name)) => (None, self.callable(name, node.version)),
            Err(unknown) => (None, Err(Problem::unknown_builtin(&unknown))),
        };
        match block {
            Ok(block) => {
                let constants = constants(node, &block, problems);
                Some(ResolvedNode { builtin, block, constants })
            }
            Err(problem) => {
                problems.push(problem.at(&node.id));
                None
            }
        }
    }

    fn builtin(&mut self, builtin: Builtin, node: &Node) -> Arc<CompiledBlock> {
        let compile = || Arc::new(CompiledBlock::new(Arc::new(builtin.signature(&node.input))));
        if node.input.contains_key("schema") {
            return compile();
        }
        Arc::clone(self.builtin.entry(builtin).or_insert_with(compile))
    }

    fn callable(
        &mut self,
        name: &'a str,
        version: Option<VersionNumber>,
    ) -> Result<Arc<CompiledBlock>, Problem> {
        let blocks = self.blocks;
        let look_up = || match blocks.signature(name, version) {
            Ok(signature) => Ok(Arc::new(CompiledBlock::new(signature))),
            Err(missing) => Err(Problem::unknown_block(name, version, missing, blocks.similar(name))),
        };
        self.callable.entry((name, version)).or_insert_with(look_up).clone()
    }
}

fn constants<'a>(
    node: &'a Node,
    block: &CompiledBlock,
    problems: &mut Vec<Problem>,
) -> Vec<(PinPath, &'a Value)> {
    let mut found = Vec::with_capacity(node.input.len());
    for (pin, value) in &node.input {
        match input_pin(block, pin, suggests(problems)) {
            Ok(path) => found.push((path, value)),
            // That it is too long is told of the node already.
            Err(_) if pin.len() > MAX_PIN_BYTES => {}
            Err(problem) => problems.push(problem.at(&node.id).pin(pin)),
        }
    }
    found.sort_by_key(|(path, _)| path.parts().len());
    found
}

fn input_pin(block: &CompiledBlock, pin: &str, search: bool) -> Result<PinPath, Problem> {
    let path =
        PinPath::parse_with(pin, |pin| block.has_input(pin)).map_err(|error| Problem::bad_pin(&error))?;
    if block.has_input(path.pin()) || block.signature.other_inputs.is_some() {
        return Ok(path);
    }
    Err(Problem::unknown_pin("input", path.pin(), &block.signature.inputs, search))
}

fn output_pin(block: &CompiledBlock, pin: &str, search: bool) -> Result<PinPath, Problem> {
    let path =
        PinPath::parse_with(pin, |pin| block.has_output(pin)).map_err(|error| Problem::bad_pin(&error))?;
    if block.has_output(path.pin()) || block.signature.other_outputs.is_some() {
        return Ok(path);
    }
    Err(Problem::unknown_pin("output", path.pin(), &block.signature.outputs, search))
}

impl<'a> Resolved<'a> {
    fn link(
        &self,
        link: &'a Link,
        positions: &HashMap<&str, usize>,
        problems: &mut Vec<Problem>,
    ) -> Option<ResolvedLink<'a>> {
        let mut end = |id: &str, pin: &str| {
            let found = positions.get(id).copied();
            if found.is_none() {
                let search = suggests(problems);
                problems.push(Problem::link_to_nowhere(link, id, positions, search).pin(pin));
            }
            found
        };
        let (from, to) = (end(&link.from, &link.from_pin), end(&link.to, &link.to_pin));
        let (from, to) = (from?, to?);
        let (source, sink) = (self.nodes[from].as_ref(), self.nodes[to].as_ref());
        let search = suggests(problems);
        let mut told = |found: Result<PinPath, Problem>, node: &str, pin: &str| {
            match found {
                Ok(path) => return Some(path),
                // That it is too long is told of the link already.
                Err(_) if pin.len() > MAX_PIN_BYTES => {}
                Err(problem) => problems.push(problem.at(node).pin(pin).link(link)),
            }
            None
        };
        let from_pin = source.map(|node| output_pin(&node.block, &link.from_pin, search));
        let from_pin = from_pin.and_then(|found| told(found, &link.from, &link.from_pin));
        let to_pin =
            sink.map(|node| input_pin(&node.block, &link.to_pin, search).and_then(|pin| linkable(node, pin)));
        let to_pin = to_pin.and_then(|found| told(found, &link.to, &link.to_pin));
        let (from_pin, to_pin) = (from_pin?, to_pin?);
        let keeps = source?.block.output(from_pin.pin()).is_some_and(|pin| pin.is_static);
        Some(ResolvedLink { link, from, from_pin, to, to_pin, is_static: link.is_static || keeps })
    }
}

fn linkable(node: &ResolvedNode<'_>, pin: PinPath) -> Result<PinPath, Problem> {
    if node.block.input(pin.pin()).is_some_and(|known| known.constant) {
        let message =
            format!("`{}` decides what the block is, so it cannot be linked; give it a constant", pin.pin());
        return Err(Problem::new(Code::ConstantPin, message));
    }
    if node.builtin == Some(Builtin::Collect) && !pin.is_whole() {
        return Err(Problem::new(Code::BadPin, "a list is collected of whole values; link to `item`"));
    }
    if let Some(part) = pin.parts().iter().find(|part| !part.is_buildable()) {
        return Err(Problem::new(
            Code::BadPin,
            format!("{part} cannot be given to a pin; count from 0 to 9999"),
        ));
    }
    Ok(pin)
}
