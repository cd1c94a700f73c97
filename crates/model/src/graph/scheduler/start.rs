//! Starting what can start, until nothing more can; then the run is over.

use super::assemble::assemble;
use super::happened::{Action, ExecutionId, Impossible};
use super::outcome::{EndState, NeverRan, Outcome, Unused};
use super::state::{Execution, Item, NodeState, id};
use super::turn::Turn;
use crate::graph::Values;
use crate::graph::builtin::Builtin;

impl Turn<'_> {
    /// A run begins with the nodes that no link leads to, and with input blocks.
    pub(super) fn mark_due(&mut self) {
        for (node, state) in self.plan.nodes.iter().zip(&mut self.state.nodes) {
            let is_given = || node.border.as_ref().is_some_and(|name| self.state.input.contains_key(name));
            let begins = node.slots.is_empty() || node.builtin == Some(Builtin::Input) && is_given();
            state.is_due = begins && node.is_active && node.builtin != Some(Builtin::Collect);
        }
    }

    pub(super) fn settle(&mut self) {
        loop {
            while let Some(node) = self.open.pop_front() {
                self.start_next(node);
            }
            if !self.collect_next() {
                break;
            }
        }
        let state = &self.state;
        if state.outcome.is_none() && state.busy == 0 {
            let failed = state.failed > 0 || state.is_out_of_budget;
            self.finish(if failed { EndState::Failed } else { EndState::Succeeded });
        }
    }

    /// Executions of one node come one after the other.
    fn start_next(&mut self, at: usize) {
        let node = &self.state.nodes[at];
        let is_free = self.plan.nodes[at].is_active && node.current.is_none() && self.state.outcome.is_none();
        let is_full = || self.plan.nodes[at].builtin != Some(Builtin::Collect) && node.can_form();
        let is_ready = node.is_due || !node.again.is_empty() || is_full();
        if !is_free || !is_ready || !self.has_budget() {
            return;
        }
        let node = &mut self.state.nodes[at];
        let execution = match node.again.pop_front() {
            Some(execution) => execution,
            None => {
                let parts = if std::mem::take(&mut node.is_due) { Vec::new() } else { node.form() };
                node.next_execution(parts)
            }
        };
        self.execute(at, execution);
    }

    pub(super) fn has_budget(&mut self) -> bool {
        self.state.is_out_of_budget |= self.state.executions >= self.plan.budget;
        !self.state.is_out_of_budget
    }

    /// Starts an execution, holds it at a breakpoint, or fails it because its input does not fit.
    pub(super) fn execute(&mut self, at: usize, execution: Execution) {
        let assembled = assemble(&self.plan.nodes[at], &execution, &self.state.input);
        let (number, breakpoints) = (execution.number, &self.state.breakpoints);
        let is_held = breakpoints.everywhere || breakpoints.nodes.contains(&id(at, number).node);
        self.state.executions += 1;
        self.busy(at);
        self.state.nodes[at].current = Some(Execution { is_held, ..execution });
        let execution = id(at, number);
        match assembled {
            Ok(input) if is_held => self.actions.push(Action::Hold { execution, input }),
            Ok(input) => self.actions.push(Action::Execute { execution, input }),
            Err((pin, why)) => self.reject(at, pin, why),
        }
    }

    pub(super) fn release(
        &mut self,
        execution: ExecutionId,
        input: Option<Values>,
    ) -> Result<(), Impossible> {
        let at = execution.node.0 as usize;
        let node = self.plan.nodes.get(at).ok_or(Impossible::NoNode(execution.node.0))?;
        let current = self.state.nodes[at].current.as_mut();
        let current = current.filter(|current| current.is_held && current.number == execution.number);
        let not_held = || Impossible::NotHeld { node: node.id.clone(), number: execution.number };
        let current = current.ok_or_else(not_held)?;
        current.is_held = false;
        current.changed = input.or_else(|| current.changed.take());
        match assemble(node, current, &self.state.input) {
            Ok(input) => self.actions.push(Action::Execute { execution, input }),
            Err((pin, why)) => self.reject(at, pin, why),
        }
        Ok(())
    }

    pub(super) fn finish(&mut self, end: EndState) {
        let outcome = Outcome {
            state: end,
            failures: self.state.failures.clone(),
            failed: self.state.failed,
            out_of_budget: self.state.is_out_of_budget.then_some(self.plan.budget),
            never_ran: self.never_ran(),
            unused: self.unused(),
            executions: self.state.executions,
        };
        self.state.outcome = Some(outcome.clone());
        self.actions.push(Action::Finish(outcome));
    }

    fn never_ran(&self) -> Vec<NeverRan> {
        let nodes = self.plan.nodes.iter().zip(&self.state.nodes);
        let idle = nodes.filter(|(node, state)| node.is_active && state.started == 0);
        idle.map(|(node, state)| {
            let empty = node.slots.iter().zip(&state.slots).filter(|(_, slot)| slot.queue.is_empty());
            NeverRan { node: node.id.clone(), missing: empty.map(|(pin, _)| pin.to_string()).collect() }
        })
        .collect()
    }

    fn unused(&self) -> Vec<Unused> {
        let mut found = Vec::new();
        for (node, state) in
            self.plan.nodes.iter().zip(&self.state.nodes).filter(|(_, state)| state.started > 0)
        {
            for (pin, slot) in node.slots.iter().zip(&state.slots) {
                let values = slot.queue.iter().filter(|item| !item.is_static).count();
                if values > 0 {
                    found.push(Unused { node: node.id.clone(), pin: pin.to_string(), values });
                }
            }
        }
        found
    }
}

impl NodeState {
    pub(super) fn push(&mut self, slot: usize, item: Item) {
        let slot = &mut self.slots[slot];
        if slot.queue.is_empty() {
            self.fresh += 1;
            self.filled += usize::from(slot.kept.is_none());
        }
        slot.queue.push_back(item);
    }

    /// Every slot has a value, and at least one of them is new.
    fn can_form(&self) -> bool {
        self.fresh > 0 && self.filled == self.slots.len()
    }

    /// The next value of each slot; where there is none, the one that a static link keeps.
    fn form(&mut self) -> Vec<Item> {
        let mut parts = Vec::with_capacity(self.slots.len());
        (self.fresh, self.filled) = (0, 0);
        for slot in &mut self.slots {
            let next = slot.queue.pop_front();
            if let Some(item) = next.as_ref().filter(|item| item.is_static) {
                slot.kept = Some(item.clone());
            }
            parts.extend(next.or_else(|| slot.kept.clone()));
            self.fresh += usize::from(!slot.queue.is_empty());
            self.filled += usize::from(!slot.queue.is_empty() || slot.kept.is_some());
        }
        parts
    }

    pub(super) fn next_execution(&mut self, parts: Vec<Item>) -> Execution {
        self.started += 1;
        let (emitted, is_held) = (0, false);
        Execution { number: self.started, parts, emitted, is_held, changed: None, error: None }
    }
}
