//! The State of a run: which values wait where, and which executions are under way.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;
use thiserror::Error;

use super::assemble::assemble;
use super::happened::{Action, Breakpoints, ExecutionId, Happened, Impossible};
use super::outcome::{Failure, Outcome};
use super::plan::{LinkIndex, NodeIndex, Plan};
use super::turn::Turn;
use crate::graph::Values;
use crate::graph::pin_path::PinPath;

#[derive(Clone, Debug)]
pub struct State {
    pub(super) nodes: Vec<NodeState>,
    /// What the run was started with.
    pub(super) input: Values,
    pub(super) breakpoints: Breakpoints,
    /// Values at breakpoints, by link.
    pub(super) held: BTreeMap<usize, VecDeque<Arc<Value>>>,
    /// Executions under way or held, and values that are held.
    pub(super) busy: usize,
    pub(super) executions: u64,
    pub(super) failures: Vec<Failure>,
    pub(super) failed: usize,
    pub(super) is_out_of_budget: bool,
    pub(super) is_changed: bool,
    pub(super) outcome: Option<Outcome>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct NodeState {
    pub(super) slots: Vec<Slot>,
    /// How many slots have a new value, and how many have any. Counted, because a node may have very many.
    pub(super) fresh: usize,
    pub(super) filled: usize,
    /// How many executions were started.
    pub(super) started: u32,
    pub(super) current: Option<Execution>,
    /// Those that failed and are executed again, before any other.
    pub(super) again: VecDeque<Execution>,
    /// Those that failed, to be executed again if the run is resumed.
    pub(super) failed: Vec<Execution>,
    /// Whether it is to start although no link brings a value.
    pub(super) is_due: bool,
    pub(super) collect: Collect,
}

/// Of a node that collects: whether more can come.
#[derive(Clone, Debug, Default)]
pub(super) struct Collect {
    /// Upstream executions that are under way, and nodes that have yet to collect.
    pub(super) busy_upstream: usize,
    /// Upstream failures and placeholders: the list would have a hole.
    pub(super) lost_upstream: usize,
    pub(super) is_done: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    pub(super) queue: VecDeque<Item>,
    /// The last value of a static link.
    pub(super) kept: Option<Item>,
}

#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Or why the link could not deliver it; the execution that it belongs to fails by that.
    pub(super) value: Result<Arc<Value>, Arc<str>>,
    pub(super) is_static: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Execution {
    pub(super) number: u32,
    /// What came at each slot; all that was collected, if the node collects.
    pub(super) parts: Vec<Item>,
    /// How many outputs were applied.
    pub(super) emitted: u32,
    pub(super) is_held: bool,
    /// What a person put in the place of its input.
    pub(super) changed: Option<Values>,
    /// What it gave on an `error` pin that is not linked.
    pub(super) error: Option<String>,
}

/// What a run is started with.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Values for the input blocks, by their names.
    pub input: Values,
    pub breakpoints: Breakpoints,
    /// Values for linked pins, as if they had come over a link that is not there: for runs of only some nodes.
    pub given: Vec<SuppliedValue>,
    /// Values that come over links from nodes that do not take part, in order.
    pub supplied: Vec<(LinkIndex, Arc<Value>)>,
}

#[derive(Clone, Debug)]
pub struct SuppliedValue {
    pub node: NodeIndex,
    pub pin: String,
    pub value: Arc<Value>,
    /// Whether it is used again where nothing newer comes.
    pub is_static: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no link leads to pin `{pin}` of node `{node}`, so no value can be given there; set a constant")]
pub struct NotLinked {
    pub node: String,
    pub pin: String,
}

impl State {
    /// A new run, and what to do first.
    pub fn start(plan: &Plan, input: Values) -> (State, Vec<Action>) {
        let mut state = State::new(plan, input, Breakpoints::default());
        let actions = Turn::begin(plan, &mut state, &[]);
        (state, actions)
    }

    /// A new run that stops at breakpoints, or in which values are given.
    pub fn start_with(plan: &Plan, start: Start) -> Result<(State, Vec<Action>), NotLinked> {
        let mut state = State::new(plan, start.input, start.breakpoints);
        for given in start.given {
            state.give(plan, given)?;
        }
        let actions = Turn::begin(plan, &mut state, &start.supplied);
        Ok((state, actions))
    }

    /// Takes note of what happened and says what to do now. What happens to an execution that is over is ignored.
    pub fn apply(&mut self, plan: &Plan, happened: Happened) -> Result<Vec<Action>, Impossible> {
        Turn::take(plan, self, happened)
    }

    fn new(plan: &Plan, input: Values, breakpoints: Breakpoints) -> State {
        let node = |node: &super::plan::PlanNode| NodeState {
            slots: vec![Slot::default(); node.slots.len()],
            ..NodeState::default()
        };
        State {
            nodes: plan.nodes.iter().map(node).collect(),
            input,
            breakpoints,
            held: BTreeMap::new(),
            busy: 0,
            executions: 0,
            failures: Vec::new(),
            failed: 0,
            is_out_of_budget: false,
            is_changed: false,
            outcome: None,
        }
    }

    fn give(&mut self, plan: &Plan, given: SuppliedValue) -> Result<(), NotLinked> {
        let refused = || NotLinked { node: plan.node_id(given.node).to_owned(), pin: given.pin.clone() };
        let slot = plan.slot(given.node, &given.pin).ok_or_else(refused)?;
        let item = Item { value: Ok(given.value), is_static: given.is_static };
        self.nodes[given.node.0 as usize].push(slot, item);
        Ok(())
    }

    /// Whether somebody put values of their own in the place of those that the graph made.
    pub fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// How it ended, if it has.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// The executions that are under way, with their inputs: those to repeat after a crash.
    pub fn under_way(&self, plan: &Plan) -> Vec<(ExecutionId, Values)> {
        self.currents(plan, |execution| !execution.is_held)
    }

    /// The executions that wait at breakpoints, with their inputs.
    pub fn held(&self, plan: &Plan) -> Vec<(ExecutionId, Values)> {
        self.currents(plan, |execution| execution.is_held)
    }

    /// The values that wait at breakpoints of links, the oldest first.
    pub fn held_values(&self) -> impl Iterator<Item = (LinkIndex, &Arc<Value>)> {
        self.held
            .iter()
            .flat_map(|(link, values)| values.iter().map(move |value| (LinkIndex(*link as u32), value)))
    }

    /// Whether anything waits at a breakpoint.
    pub fn is_held(&self) -> bool {
        let is_held = |node: &NodeState| node.current.as_ref().is_some_and(|execution| execution.is_held);
        !self.held.is_empty() || self.nodes.iter().any(is_held)
    }

    fn currents(&self, plan: &Plan, wanted: impl Fn(&Execution) -> bool) -> Vec<(ExecutionId, Values)> {
        let mut found = Vec::new();
        for (at, (node, state)) in plan.nodes.iter().zip(&self.nodes).enumerate() {
            let Some(execution) = state.current.as_ref().filter(|execution| wanted(execution)) else {
                continue;
            };
            if let Ok(input) = assemble(node, execution, &self.input) {
                found.push((id(at, execution.number), input));
            }
        }
        found
    }

    /// How many outputs of an execution that is under way were applied.
    pub fn emitted(&self, execution: ExecutionId) -> u32 {
        let current = self.nodes.get(execution.node.0 as usize).and_then(|node| node.current.as_ref());
        current.filter(|current| current.number == execution.number).map_or(0, |current| current.emitted)
    }

    /// Whether an execution was started and is not over.
    pub fn is_under_way(&self, execution: ExecutionId) -> bool {
        let node = self.nodes.get(execution.node.0 as usize);
        let current = node.and_then(|node| node.current.as_ref());
        current.is_some_and(|current| current.number == execution.number && !current.is_held)
    }

    /// How many executions of a node were started.
    pub fn started(&self, node: NodeIndex) -> u32 {
        self.nodes[node.0 as usize].started
    }

    /// How many values wait at an input pin, given with its path.
    pub fn waiting(&self, plan: &Plan, node: NodeIndex, pin: &str) -> usize {
        plan.slot(node, pin).map_or(0, |slot| self.nodes[node.0 as usize].slots[slot].queue.len())
    }

    /// Whether a node should pause before it gives more, because so many values wait for a node that is busy. Holding it then
    /// cannot stop the run: what it waits for does not depend on it.
    pub fn should_pause(&self, plan: &Plan, node: NodeIndex, limit: usize) -> bool {
        let links = plan.nodes[node.0 as usize].next.values().flatten().map(|link| &plan.links[*link]);
        links.filter(|link| !link.is_in_cycle).any(|link| {
            let to = &self.nodes[link.to];
            to.current.is_some() && to.slots[link.slot].queue.len() >= limit
        })
    }
}

impl Plan {
    pub(super) fn slot(&self, node: NodeIndex, pin: &str) -> Option<usize> {
        let node = self.nodes.get(node.0 as usize)?;
        let path = PinPath::parse_with(pin, |pin| node.block.has_input(pin)).ok()?;
        node.slots.iter().position(|slot| *slot == path)
    }
}

pub(super) fn id(node: usize, number: u32) -> ExecutionId {
    ExecutionId { node: NodeIndex(node as u32), number }
}
