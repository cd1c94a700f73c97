//! An engine without cells: it executes blocks at once and reports what they do step by step, in an order that is handed
//! in, and can crash.

use std::collections::BTreeMap;
use std::sync::Arc;

use selfmade_model::graph::scheduler::{
    Action, ExecutionId, Happened, NodeIndex, Outcome, Plan, Start, State,
};
use selfmade_model::graph::{GraphContent, Values};
use serde_json::{Value, json};

use super::{Behaviour, behave};

pub(crate) struct Engine<'a> {
    pub(crate) content: &'a GraphContent,
    pub(crate) plan: &'a Plan,
    pub(crate) state: State,
    pub(crate) journal: Vec<Happened>,
    pub(crate) log: Log,
    under_way: Vec<Running>,
    is_replaying: bool,
}

struct Running {
    execution: ExecutionId,
    behaviour: Behaviour,
    done: u32,
}

/// What can be seen of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Log {
    /// By node and number.
    pub(crate) executions: BTreeMap<(String, u32), Value>,
    /// By name, in order.
    pub(crate) outputs: BTreeMap<String, Vec<Value>>,
    pub(crate) outcome: Option<Outcome>,
}

impl<'a> Engine<'a> {
    pub(crate) fn start(content: &'a GraphContent, plan: &'a Plan, input: &Values) -> Engine<'a> {
        Engine::start_with(content, plan, Start { input: input.clone(), ..Start::default() })
    }

    pub(crate) fn start_with(content: &'a GraphContent, plan: &'a Plan, start: Start) -> Engine<'a> {
        let (state, actions) = State::start_with(plan, start).unwrap();
        let mut engine = Engine {
            content,
            plan,
            state,
            journal: Vec::new(),
            log: Log::default(),
            under_way: Vec::new(),
            is_replaying: false,
        };
        engine.perform(actions);
        engine
    }

    /// After a crash that left this much of the journal.
    pub(crate) fn recover(
        content: &'a GraphContent,
        plan: &'a Plan,
        input: &Values,
        journal: &[Happened],
    ) -> Engine<'a> {
        let mut engine = Engine::start(content, plan, input);
        engine.under_way.clear();
        engine.is_replaying = true;
        for happened in journal {
            let text = serde_json::to_string(happened).unwrap();
            engine.apply(serde_json::from_str(&text).unwrap());
        }
        engine.is_replaying = false;
        for (execution, input) in engine.state.under_way(plan) {
            engine.execute(execution, &input);
        }
        engine
    }

    pub(crate) fn apply(&mut self, happened: Happened) {
        let actions = self.state.apply(self.plan, happened.clone()).unwrap();
        self.journal.push(happened);
        self.perform(actions);
    }

    fn perform(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Execute { execution, input } => {
                    let key = (self.plan.node_id(execution.node).to_owned(), execution.number);
                    self.log.executions.insert(key, plain(&input));
                    if !self.is_replaying {
                        self.execute(execution, &input);
                    }
                }
                Action::Cancel { execution } | Action::Reject { execution, .. } => {
                    self.under_way.retain(|running| running.execution != execution);
                }
                Action::Output { name, value } => {
                    self.log.outputs.entry(name).or_default().push(Value::clone(&value));
                }
                Action::Finish(outcome) => {
                    assert_eq!(self.log.outcome, None, "a run ends once");
                    self.log.outcome = Some(outcome);
                }
                Action::Hold { .. } | Action::HoldValue { .. } => {}
            }
        }
    }

    fn execute(&mut self, execution: ExecutionId, input: &Values) {
        let same = self.under_way.iter().filter(|running| running.execution.node == execution.node).count();
        assert_eq!(same, 0, "executions of one node come one after the other");
        let block = &self.content.nodes[execution.node.0 as usize].block;
        let behaviour = behave(block, self.plan.builtin(execution.node), input);
        self.under_way.push(Running { execution, behaviour, done: 0 });
    }

    pub(crate) fn running(&self) -> Vec<String> {
        self.under_way.iter().map(|running| self.plan.node_id(running.execution.node).to_owned()).collect()
    }

    /// Lets one of those under way do its next thing.
    pub(crate) fn step(&mut self, choice: usize) -> bool {
        if self.under_way.is_empty() {
            return false;
        }
        let at = choice % self.under_way.len();
        let running = &mut self.under_way[at];
        let execution = running.execution;
        let happened = match running.behaviour.0.get(running.done as usize) {
            Some((pin, value)) => {
                running.done += 1;
                let (index, pin, value) = (running.done - 1, pin.clone(), Arc::clone(value));
                Happened::Emitted { execution, index, pin, value }
            }
            None => match self.under_way.remove(at).behaviour.1 {
                Some(error) => Happened::Failed { execution, error },
                None => Happened::Finished { execution },
            },
        };
        self.apply(happened);
        true
    }

    /// Lets this node do its next thing.
    pub(crate) fn step_node(&mut self, id: &str) {
        let node: NodeIndex = self.plan.node(id).unwrap();
        let at = self.under_way.iter().position(|running| running.execution.node == node).unwrap();
        self.step(at);
    }

    pub(crate) fn drain(&mut self, order: impl IntoIterator<Item = usize>) -> &Log {
        let mut order = order.into_iter();
        while self.step(order.next().unwrap_or(0)) {}
        &self.log
    }
}

pub(crate) fn plain(values: &Values) -> Value {
    Value::Object(values.iter().map(|(pin, value)| (pin.clone(), Value::clone(value))).collect())
}

/// Runs a graph to its end, the oldest execution first.
pub(crate) fn run(content: &GraphContent, input: Value) -> Log {
    let plan = super::plan(content);
    let mut engine = Engine::start(content, &plan, &selfmade_model::graph::values(input));
    engine.drain([]).clone()
}

impl Log {
    pub(crate) fn inputs(&self, node: &str) -> Vec<Value> {
        self.executions.iter().filter(|((id, _), _)| id == node).map(|(_, input)| input.clone()).collect()
    }

    pub(crate) fn output(&self, name: &str) -> Value {
        json!(self.outputs.get(name).cloned().unwrap_or_default())
    }

    pub(crate) fn end(&self) -> String {
        self.outcome.as_ref().unwrap().to_string()
    }
}
