//! One turn of the scheduler: something happened, and all that follows from it is worked out.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;

use super::happened::{Action, ExecutionId, Happened, Impossible};
use super::outcome::{EndState, Failure, MAX_FAILURES};
use super::plan::{LinkIndex, Plan};
use super::state::{Execution, State, id};
use crate::graph::block::ERROR;

pub(super) struct Turn<'a> {
    pub(super) plan: &'a Plan,
    pub(super) state: &'a mut State,
    pub(super) actions: Vec<Action>,
    /// Nodes that may be able to start.
    pub(super) open: VecDeque<usize>,
}

impl<'a> Turn<'a> {
    fn new(plan: &'a Plan, state: &'a mut State) -> Turn<'a> {
        Turn { plan, state, actions: Vec::new(), open: VecDeque::new() }
    }

    pub(super) fn begin(
        plan: &'a Plan,
        state: &'a mut State,
        supplied: &[(LinkIndex, Arc<Value>)],
    ) -> Vec<Action> {
        let mut turn = Turn::new(plan, state);
        turn.prepare_collects();
        turn.mark_due();
        for (link, value) in supplied {
            turn.arrive(link.0 as usize, value);
        }
        turn.open.extend(0..plan.nodes.len());
        turn.settle();
        turn.actions
    }

    pub(super) fn take(
        plan: &'a Plan,
        state: &'a mut State,
        happened: Happened,
    ) -> Result<Vec<Action>, Impossible> {
        let mut turn = Turn::new(plan, state);
        if turn.state.outcome.is_some() && !matches!(happened, Happened::Resumed) {
            return Ok(Vec::new());
        }
        match happened {
            Happened::Emitted { execution, index, pin, value } => {
                turn.emitted(execution, index, &pin, &value)?;
            }
            Happened::Finished { execution } => turn.finished(execution)?,
            Happened::Failed { execution, error } => {
                if turn.current(execution)?.is_some() {
                    turn.fail(execution.node.0 as usize, None, error);
                }
            }
            Happened::Cancelled => turn.cancel(),
            Happened::Breakpoints(breakpoints) => turn.state.breakpoints = breakpoints,
            Happened::Released { execution, input } => {
                turn.state.is_changed |= input.is_some();
                turn.release(execution, input)?;
            }
            Happened::LinkReleased { link, value } => {
                turn.state.is_changed |= value.is_some();
                turn.release_value(link, value)?;
            }
            Happened::Resumed => turn.resume(),
        }
        turn.settle();
        Ok(turn.actions)
    }

    /// The execution if it is under way, and nothing if it is over.
    fn current(&mut self, execution: ExecutionId) -> Result<Option<&mut Execution>, Impossible> {
        let at = execution.node.0 as usize;
        let node = self.state.nodes.get_mut(at).ok_or(Impossible::NoNode(execution.node.0))?;
        if execution.number == 0 || execution.number > node.started {
            let node = self.plan.nodes[at].id.clone();
            return Err(Impossible::NeverStarted { node, number: execution.number });
        }
        Ok(node.current.as_mut().filter(|current| current.number == execution.number))
    }

    fn emitted(
        &mut self,
        execution: ExecutionId,
        index: u32,
        pin: &str,
        value: &Arc<Value>,
    ) -> Result<(), Impossible> {
        if self.current(execution)?.is_none() {
            return Ok(());
        }
        let (at, plan) = (execution.node.0 as usize, self.plan);
        let node = &plan.nodes[at];
        let Some(current) = self.state.nodes[at].current.as_mut() else { return Ok(()) };
        if index < current.emitted {
            return Ok(());
        }
        if index > current.emitted {
            let (node, number, expected) = (node.id.clone(), execution.number, current.emitted);
            return Err(Impossible::OutputGap { node, number, index, expected });
        }
        if let Err(why) = check_output(node, pin, value) {
            self.reject(at, pin.to_owned(), why);
            return Ok(());
        }
        current.emitted += 1;
        if pin == ERROR && !plan.catches_errors(at) {
            current.error.get_or_insert_with(|| text(value));
        }
        if let Some(name) = node.graph_output(pin) {
            self.actions.push(Action::Output { name: name.to_owned(), value: Arc::clone(value) });
        }
        self.deliver(at, pin, value);
        Ok(())
    }

    fn finished(&mut self, execution: ExecutionId) -> Result<(), Impossible> {
        let Some(current) = self.current(execution)? else { return Ok(()) };
        let error = current.error.take();
        match error {
            Some(error) => self.fail(execution.node.0 as usize, Some(ERROR.to_owned()), error),
            None => {
                self.end(execution.node.0 as usize);
            }
        }
        Ok(())
    }

    /// Takes the execution away, so that the next one can start.
    fn end(&mut self, at: usize) -> Option<Execution> {
        let execution = self.state.nodes[at].current.take();
        self.idle(at);
        self.open.push_back(at);
        execution
    }

    /// Fails the current execution by a value that does not fit.
    pub(super) fn reject(&mut self, at: usize, pin: String, message: String) {
        if let Some(current) = &self.state.nodes[at].current {
            let (execution, pin, message) = (id(at, current.number), pin.clone(), message.clone());
            self.actions.push(Action::Reject { execution, pin, message });
        }
        self.fail(at, Some(pin), message);
    }

    /// An error leaves on `error` if that is linked, and otherwise fails the run. Other nodes go on either way.
    fn fail(&mut self, at: usize, pin: Option<String>, message: String) {
        let Some(execution) = self.end(at) else { return };
        let node = &self.plan.nodes[at];
        if self.plan.catches_errors(at) {
            return self.deliver(at, ERROR, &Arc::new(Value::String(message)));
        }
        for collect in &node.collected_by {
            self.state.nodes[*collect].collect.lost_upstream += 1;
        }
        self.state.failed += 1;
        if self.state.failures.len() < MAX_FAILURES {
            let (execution, node) = (id(at, execution.number), node.id.clone());
            self.state.failures.push(Failure { execution, node, pin, message });
        }
        self.state.nodes[at].failed.push(execution);
    }

    fn cancel(&mut self) {
        for (at, node) in self.state.nodes.iter_mut().enumerate() {
            if let Some(execution) = node.current.take().filter(|execution| !execution.is_held) {
                self.actions.push(Action::Cancel { execution: id(at, execution.number) });
            }
        }
        self.state.busy = 0;
        self.state.held.clear();
        self.finish(EndState::Cancelled);
    }

    /// What failed is executed again, in its order and before anything new.
    fn resume(&mut self) {
        if self.state.outcome.as_ref().is_some_and(|outcome| outcome.state != EndState::Failed) {
            return;
        }
        self.state.outcome = None;
        self.state.failures.clear();
        self.state.failed = 0;
        self.state.is_out_of_budget = false;
        for node in &mut self.state.nodes {
            let mut failed = std::mem::take(&mut node.failed);
            failed.sort_by_key(|execution| execution.number);
            node.again.extend(failed);
        }
        self.forget_losses();
        self.open.extend(0..self.plan.nodes.len());
    }
}

fn check_output(node: &super::plan::PlanNode, pin: &str, value: &Value) -> Result<(), String> {
    if !node.block.has_output(pin) && node.block.signature.other_outputs.is_none() {
        let known: Vec<&str> = node.block.signature.outputs.iter().map(|pin| pin.name.as_str()).collect();
        return Err(format!(
            "the block gave a value on `{pin}`, but its output pins are `{}`",
            known.join("`, `")
        ));
    }
    node.block.check_output(pin, value).map_err(|error| error.to_string())
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
