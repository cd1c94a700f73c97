//! What the nodes of a recorded run gave, so that others can go on from it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::happened::{Action, ExecutionId, Happened, Impossible};
use super::partial::NodeOutputs;
use super::plan::Plan;
use super::state::State;
use crate::graph::block::ERROR;

/// Collects the outputs of some nodes while the journal of their run is applied.
#[derive(Debug)]
pub struct RecordedOutputs {
    wanted: BTreeSet<String>,
    /// By node; a node that was executed and gave nothing is there, too.
    pub outputs: BTreeMap<String, NodeOutputs>,
}

impl RecordedOutputs {
    pub fn of(wanted: BTreeSet<String>) -> RecordedOutputs {
        RecordedOutputs { wanted, outputs: BTreeMap::new() }
    }

    /// Applies it, and notes what left: also the errors, which leave on `error`, and not what was refused or given before.
    pub fn apply(
        &mut self,
        plan: &Plan,
        state: &mut State,
        happened: Happened,
    ) -> Result<Vec<Action>, Impossible> {
        let left = match &happened {
            Happened::Emitted { execution, index, pin, value } => {
                (*index == state.emitted(*execution)).then(|| (*execution, pin.clone(), Value::clone(value)))
            }
            Happened::Failed { execution, error } => {
                Some((*execution, ERROR.to_owned(), Value::from(error.as_str())))
            }
            Happened::Finished { execution } => {
                self.node(plan, *execution);
                None
            }
            _ => None,
        };
        let left = left.filter(|(execution, ..)| state.is_under_way(*execution));
        let actions = state.apply(plan, happened)?;
        let mut is_refused = false;
        for action in &actions {
            if let Action::Reject { execution, message, .. } = action {
                is_refused |= left.as_ref().is_some_and(|(refused, ..)| refused == execution);
                self.push(plan, *execution, ERROR.to_owned(), Value::from(message.as_str()));
            }
        }
        if let Some((execution, pin, value)) = left.filter(|_| !is_refused) {
            self.push(plan, execution, pin, value);
        }
        Ok(actions)
    }

    fn push(&mut self, plan: &Plan, execution: ExecutionId, pin: String, value: Value) {
        if let Some(outputs) = self.node(plan, execution) {
            outputs.entry(pin).or_default().push(value);
        }
    }

    fn node(&mut self, plan: &Plan, execution: ExecutionId) -> Option<&mut NodeOutputs> {
        let id = plan.node_id(execution.node);
        self.wanted.contains(id).then(|| self.outputs.entry(id.to_owned()).or_default())
    }
}
