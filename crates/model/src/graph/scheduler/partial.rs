//! Runs of only some nodes: which are executed, and where the values come from that the others would have given.
//!
//! A value for a pin is, in this order: given with the run, pinned, or recorded by the earlier run that the options name. Input blocks
//! that feed an executed node are executed along, because they only pass on what the run was started with.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;
use thiserror::Error;

use super::plan::{LinkIndex, NodeIndex, Plan};
use super::state::{Start, SuppliedValue};
use crate::changeset::check::nearest;
use crate::graph::Values;
use crate::graph::block::ERROR;
use crate::graph::builtin::Builtin;
use crate::graph::pin_path::{Gaps, PinPath, write_at};
use crate::graph::run_options::GraphOptions;

/// Values of a node by output pin, in order.
pub type NodeOutputs = BTreeMap<String, Vec<Value>>;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PartialError {
    #[error("`only` and `from` cannot be combined")]
    OnlyAndFrom,
    #[error("`{0}` is for runs of some nodes only, and neither `only` nor `from` is stated")]
    WholeGraph(&'static str),
    #[error("the graph has no node `{node}`{}", .near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoNode { node: String, near: Option<String> },
    #[error("node `{0}` never runs")]
    NeverRuns(String),
    #[error("node `{0}` is not executed in this run, so it takes no input")]
    NotExecuted(String),
    #[error("node `{node}` has no input pin `{pin}`")]
    NoPin { node: String, pin: String },
    #[error("parts of pin `{pin}` of node `{node}` are linked; give a value to each of these: {parts}")]
    PartsLinked { node: String, pin: String, parts: String },
    #[error("pin `{pin}` of node `{node}`: {why}")]
    WrongValue { node: String, pin: String, why: String },
    #[error(
        "pin `{pin}` of node `{node}` gets its values from node `{from}`, which is not executed and of which no values are known"
    )]
    NoSource { node: String, pin: String, from: String },
    #[error("pin `{pin}` of node `{node}` got no value in the earlier run")]
    NothingCame { node: String, pin: String },
    #[error("pin `{pin}` of node `{node}` is required, and has neither a link nor a constant")]
    Missing { node: String, pin: String },
    #[error("node `{node}` needs the input `{input}` of the graph")]
    NoInput { node: String, input: String },
}

impl PartialError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            PartialError::OnlyAndFrom => "state one of them",
            PartialError::WholeGraph(_) => {
                "name the nodes to execute with `only`, or one to begin with as `from`"
            }
            PartialError::NoNode { .. } | PartialError::NoPin { .. } => {
                "`selfmade graph show NAME` shows nodes and pins"
            }
            PartialError::NeverRuns(_) => "name a node that does something",
            PartialError::NotExecuted(_) => "add it to `only`, or remove its input",
            PartialError::PartsLinked { .. } | PartialError::WrongValue { .. } => "give another value",
            PartialError::NoSource { .. } => {
                "name an earlier run with `values_of`, pin an output of that node, or give the value as `input`"
            }
            PartialError::NothingCame { .. } | PartialError::Missing { .. } => "give the value as `input`",
            PartialError::NoInput { .. } => "state it in the input of the run",
        }
    }
}

impl GraphOptions {
    /// Whether only some nodes are executed.
    pub fn is_partial(&self) -> bool {
        !self.only.is_empty() || !self.from.is_empty()
    }

    /// The nodes whose outputs the earlier run has to supply, which `values_of` names.
    pub fn sources(&self, plan: &Plan, input: &Values) -> Result<BTreeSet<String>, PartialError> {
        if !self.is_partial() {
            return Ok(BTreeSet::new());
        }
        let chosen = Chosen::new(plan, self, input)?;
        let sources = chosen.incoming().map(|(_, link)| plan.nodes[link.from].id.clone());
        Ok(sources.filter(|node| !self.pinned.contains_key(node)).collect())
    }

    /// What a run begins with, and its plan if that is not the whole one.
    pub fn start(&self, plan: &Plan, input: Values) -> Result<(Option<Plan>, Start), PartialError> {
        if !self.is_partial() {
            for (field, is_stated) in
                [("input", !self.input.is_empty()), ("values_of", self.values_of.is_some())]
            {
                if is_stated {
                    return Err(PartialError::WholeGraph(field));
                }
            }
            return Ok((None, Start { input, ..Start::default() }));
        }
        let chosen = Chosen::new(plan, self, &input)?;
        let supplied = chosen.supplied()?;
        chosen.check_constants(&input)?;
        let executed = chosen.executed.iter().map(|at| NodeIndex(*at as u32)).collect();
        let mut partial = plan.clone().only(&executed);
        let mut given = Vec::new();
        for (at, pin, place) in &chosen.given {
            let value = &self.input[&plan.nodes[*at].id][*pin];
            match place {
                Place::Slot(slot) => given.push(SuppliedValue {
                    node: NodeIndex(*at as u32),
                    pin: (*pin).clone(),
                    value: Arc::new(value.clone()),
                    is_static: !chosen.is_fed(*at, *slot),
                }),
                Place::Constant(path) => partial.set_constant(*at, path, value.clone())?,
            }
        }
        Ok((Some(partial), Start { input, given, supplied, ..Start::default() }))
    }
}

/// Where a given value goes.
enum Place {
    Slot(usize),
    Constant(PinPath),
}

/// What is executed, as far as it can be told without values.
struct Chosen<'a> {
    plan: &'a Plan,
    options: &'a GraphOptions,
    executed: HashSet<usize>,
    /// The node that is named alone: each of its pins has to get something.
    alone: Option<usize>,
    given: Vec<(usize, &'a String, Place)>,
}

impl<'a> Chosen<'a> {
    fn new(plan: &'a Plan, options: &'a GraphOptions, input: &Values) -> Result<Chosen<'a>, PartialError> {
        let named = if options.from.is_empty() { &options.only } else { &options.from };
        if !options.only.is_empty() && !options.from.is_empty() {
            return Err(PartialError::OnlyAndFrom);
        }
        let mut executed = HashSet::new();
        for id in named {
            let at = position(plan, id)?;
            let is_from = !options.from.is_empty();
            let all = if is_from { plan.downstream(at) } else { HashSet::from([at]) };
            executed.extend(all.into_iter().map(|node| node.0 as usize));
        }
        executed.retain(|at| plan.nodes[*at].is_active);
        let alone = match (named.len(), named.first()) {
            (1, Some(id)) => Some(position(plan, id)?.0 as usize),
            _ => None,
        };
        match named.first() {
            Some(id) if executed.is_empty() => return Err(PartialError::NeverRuns(id.clone())),
            _ => {}
        }
        let mut chosen = Chosen { plan, options, executed, alone, given: Vec::new() };
        chosen.place_given()?;
        chosen.add_inputs(input);
        Ok(chosen)
    }

    fn place_given(&mut self) -> Result<(), PartialError> {
        for (id, pins) in &self.options.input {
            let at = position(self.plan, id)?.0 as usize;
            if !self.executed.contains(&at) {
                return Err(PartialError::NotExecuted(id.clone()));
            }
            for (pin, value) in pins {
                let place = self.place(at, pin, value)?;
                self.given.push((at, pin, place));
            }
        }
        Ok(())
    }

    fn place(&self, at: usize, pin: &str, value: &Value) -> Result<Place, PartialError> {
        let node = &self.plan.nodes[at];
        let (id, text) = (|| node.id.clone(), || pin.to_owned());
        let path = PinPath::parse_with(pin, |pin| node.block.has_input(pin));
        let path = path.map_err(|_| PartialError::NoPin { node: id(), pin: text() })?;
        if !node.block.has_input(path.pin()) && node.block.signature.other_inputs.is_none() {
            return Err(PartialError::NoPin { node: id(), pin: text() });
        }
        if path.is_whole() {
            let checked = node.block.check_input(path.pin(), value);
            checked.map_err(|why| PartialError::WrongValue {
                node: id(),
                pin: text(),
                why: why.to_string(),
            })?;
        }
        if let Some(slot) = node.slots.iter().position(|slot| *slot == path) {
            return Ok(Place::Slot(slot));
        }
        let linked: Vec<String> =
            node.slots.iter().filter(|slot| slot.pin() == path.pin()).map(ToString::to_string).collect();
        match linked.is_empty() {
            true => Ok(Place::Constant(path)),
            false => Err(PartialError::PartsLinked {
                node: id(),
                pin: text(),
                parts: format!("`{}`", linked.join("`, `")),
            }),
        }
    }

    /// Input blocks that feed an executed node, and have a value.
    fn add_inputs(&mut self, input: &Values) {
        let feeding = |at: &usize| {
            let node = &self.plan.nodes[*at];
            let is_source = node.builtin == Some(Builtin::Input) && node.slots.is_empty();
            is_source && !self.options.pinned.contains_key(&node.id) && has_value(node, input)
        };
        let sources: HashSet<usize> = self.incoming().map(|(_, link)| link.from).filter(feeding).collect();
        self.executed.extend(sources);
    }

    /// The links from what is not executed to what is, except those whose pin is given a value.
    fn incoming(&self) -> impl Iterator<Item = (usize, &super::plan::PlanLink)> {
        let crosses = |link: &super::plan::PlanLink| {
            self.executed.contains(&link.to) && !self.executed.contains(&link.from)
        };
        let links = self.plan.links.iter().enumerate();
        links.filter(move |(_, link)| crosses(link) && !self.is_given(link.to, link.slot))
    }

    fn is_given(&self, node: usize, slot: usize) -> bool {
        self.given
            .iter()
            .any(|(at, _, place)| *at == node && matches!(place, Place::Slot(given) if *given == slot))
    }

    /// Whether an executed node is linked to this pin.
    fn is_fed(&self, node: usize, slot: usize) -> bool {
        let links = self.plan.links.iter();
        links
            .filter(|link| link.to == node && link.slot == slot)
            .any(|link| self.executed.contains(&link.from))
    }

    /// The values that come over links from what is not executed.
    fn supplied(&self) -> Result<Vec<(LinkIndex, Arc<Value>)>, PartialError> {
        let mut supplied = Vec::new();
        let mut counts: HashMap<usize, usize> = HashMap::new();
        let mut shared: HashMap<(&str, &str), Vec<Arc<Value>>> = HashMap::new();
        for (at, link) in self.incoming() {
            let from = &self.plan.nodes[link.from];
            let known = self.options.pinned.get(&from.id).or_else(|| self.options.recorded.get(&from.id));
            let pin = link.path.pin();
            // What fails seldom fails without being told, so an error that is not known of is none.
            let Some(outputs) = known.or_else(|| (pin == ERROR).then_some(const { &NodeOutputs::new() }))
            else {
                let to = &self.plan.nodes[link.to];
                let pin = to.slots[link.slot].to_string();
                let is_input = from.builtin == Some(Builtin::Input);
                return Err(match &from.border {
                    Some(input) if is_input && from.slots.is_empty() => {
                        PartialError::NoInput { node: to.id.clone(), input: input.clone() }
                    }
                    _ => PartialError::NoSource { node: to.id.clone(), pin, from: from.id.clone() },
                });
            };
            let values = shared
                .entry((&from.id, pin))
                .or_insert_with(|| outputs.get(pin).into_iter().flatten().cloned().map(Arc::new).collect());
            *counts.entry(link.slot).or_default() +=
                if Some(link.to) == self.alone { values.len() } else { 0 };
            supplied.extend(values.iter().map(|value| (LinkIndex(at as u32), Arc::clone(value))));
        }
        self.check_alone(&counts)?;
        Ok(supplied)
    }

    /// Whoever names one node wants it executed.
    fn check_alone(&self, counts: &HashMap<usize, usize>) -> Result<(), PartialError> {
        let Some(at) = self.alone else { return Ok(()) };
        let node = &self.plan.nodes[at];
        let empty = (0..node.slots.len()).find(|slot| {
            let is_supplied = counts.get(slot).is_some_and(|count| *count > 0);
            !is_supplied && !self.is_given(at, *slot) && !self.is_fed(at, *slot)
        });
        match empty {
            // It begins by what the run is started with, or collects nothing.
            _ if matches!(node.builtin, Some(Builtin::Input | Builtin::Collect)) => Ok(()),
            Some(slot) => {
                Err(PartialError::NothingCame { node: node.id.clone(), pin: node.slots[slot].to_string() })
            }
            None => Ok(()),
        }
    }

    /// Pins that nothing leads to need a constant.
    fn check_constants(&self, input: &Values) -> Result<(), PartialError> {
        let mut executed: Vec<usize> = self.executed.iter().copied().collect();
        executed.sort_unstable();
        for at in executed {
            let node = &self.plan.nodes[at];
            let Ok(constants) = &node.constants else { continue };
            if let (Some(Builtin::Input), Some(name)) = (node.builtin, &node.border) {
                let is_given = self.given.iter().any(|(given, ..)| *given == at);
                if node.slots.is_empty() && !is_given && !has_value(node, input) {
                    return Err(PartialError::NoInput { node: node.id.clone(), input: name.clone() });
                }
                continue;
            }
            if node.builtin == Some(Builtin::Collect) {
                continue;
            }
            let is_there = |pin: &str| {
                let is_constant = |place: &Place| matches!(place, Place::Constant(path) if path.pin() == pin);
                constants.contains_key(pin)
                    || node.slots.iter().any(|slot| slot.pin() == pin)
                    || self.given.iter().any(|(given, _, place)| *given == at && is_constant(place))
            };
            let required = node.block.signature.inputs.iter().filter(|pin| pin.required);
            if let Some(pin) = required.map(|pin| &pin.name).find(|pin| !is_there(pin)) {
                return Err(PartialError::Missing { node: node.id.clone(), pin: pin.clone() });
            }
        }
        Ok(())
    }
}

/// Whether an input block has something to pass on.
fn has_value(node: &super::plan::PlanNode, input: &Values) -> bool {
    let is_given = node.border.as_ref().is_some_and(|name| input.contains_key(name));
    is_given || node.constants.as_ref().is_ok_and(|constants| constants.contains_key("value"))
}

fn position(plan: &Plan, node: &str) -> Result<NodeIndex, PartialError> {
    plan.node(node).ok_or_else(|| {
        let known: Vec<String> = plan.nodes.iter().take(2_000).map(|node| node.id.clone()).collect();
        PartialError::NoNode { node: node.to_owned(), near: nearest(node, &known).map(str::to_owned) }
    })
}

impl Plan {
    fn set_constant(&mut self, at: usize, path: &PinPath, value: Value) -> Result<(), PartialError> {
        let node = &mut self.nodes[at];
        let wrong =
            |why: String| PartialError::WrongValue { node: node.id.clone(), pin: path.to_string(), why };
        let Ok(constants) = &mut node.constants else { return Ok(()) };
        let target = Arc::make_mut(constants.entry(path.pin().to_owned()).or_default());
        write_at(target, path.pin(), path.parts(), value, &mut Gaps::default())
            .map_err(|why| wrong(why.to_string()))
    }
}
