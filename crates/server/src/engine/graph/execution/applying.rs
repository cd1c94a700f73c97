//! Applies outputs and ends of executions to the state and notes them in the journal; refuses outputs that do not fit.

use std::sync::Arc;

use model::graph::Values;
use model::graph::builtin::Output;
use model::graph::scheduler::{Action, ExecutionId, Happened};
use model::input::json_size::json_size;
use model::run::RunError;
use model::run::bounds::OverBound;
use serde_json::Value;

use super::{GraphRun, ending};
use crate::engine::graph::results::{self, failure};
use crate::error::Error;

impl GraphRun<'_> {
    /// Begins and ends an execution.
    pub(super) fn at_once(
        &mut self,
        execution: ExecutionId,
        input: &Values,
        outputs: Result<Vec<Output>, RunError>,
    ) -> Result<(), Error> {
        let position = self.journal.steps() + 1;
        let error = self.apply_end(execution, position, 0, outputs)?;
        let (node, now) = (self.node(execution).id.clone(), self.ctx().clock.now());
        self.journal.whole(execution, &node, input, error, now);
        Ok(())
    }

    /// Of an execution that was journaled as begun. It may be over already, because an output did not fit.
    pub(super) fn ended(
        &mut self,
        execution: ExecutionId,
        outputs: Result<Vec<Output>, RunError>,
    ) -> Result<(), Error> {
        let Some(step) = self.journal.begun(execution) else { return Ok(()) };
        let (position, applied) = (step.position, self.state.emitted(execution));
        let error = self.apply_end(execution, position, applied, outputs)?;
        let now = self.ctx().clock.now();
        self.journal.end(execution, error, now);
        Ok(())
    }

    /// An execution whose input does not fit: it was never started.
    pub(super) fn rejected(&mut self, execution: ExecutionId, pin: &str, message: &str) {
        let (node, now) = (self.node(execution).id.clone(), self.ctx().clock.now());
        let error = failure("TypeError", &format!("pin `{pin}`: {message}"));
        self.journal.whole(execution, &node, &Values::new(), Some(error), now);
    }

    /// Applies the outputs that were not applied yet, and the end. Returns why it failed, if it did.
    fn apply_end(
        &mut self,
        execution: ExecutionId,
        position: u32,
        applied: u32,
        outputs: Result<Vec<Output>, RunError>,
    ) -> Result<Option<RunError>, Error> {
        let mut failed = None;
        match outputs {
            Ok(outputs) => {
                for (index, (pin, value)) in (0..).zip(outputs).skip(applied as usize) {
                    if failed.is_none() {
                        failed = self.emit(execution, position, index, pin, value)?;
                    }
                }
            }
            Err(error) => failed = Some(error),
        }
        let happened = match &failed {
            None => Happened::Finished { execution },
            Some(error) => Happened::Failed { execution, error: results::text(error) },
        };
        let rejected = self.happen(position, happened)?.into_iter().find_map(|action| match action {
            Action::Reject { pin, message, .. } => {
                Some(failure("TypeError", &format!("pin `{pin}`: {message}")))
            }
            _ => None,
        });
        Ok(failed.or(rejected))
    }

    /// Returns why the value is refused, if it is.
    pub(super) fn emit(
        &mut self,
        execution: ExecutionId,
        position: u32,
        index: u32,
        pin: String,
        value: Arc<Value>,
    ) -> Result<Option<RunError>, Error> {
        let most = self.ctx().engine.config.bounds.link_bytes;
        let bytes = json_size(&*value);
        if bytes > most {
            let message = format!(
                "the value on pin `{pin}` has {bytes} bytes, and a link carries at most {most}; write it to a file and \
                 pass its name"
            );
            return Ok(Some(failure("ValueTooLarge", &message)));
        }
        if let Some(error) = self.too_much_data(execution, &pin, bytes) {
            return Ok(Some(error));
        }
        let rejected = self.happen(position, Happened::Emitted { execution, index, pin, value })?;
        Ok(rejected.into_iter().find_map(|action| match action {
            Action::Reject { pin, message, .. } => {
                Some(failure("TypeError", &format!("pin `{pin}`: {message}")))
            }
            _ => None,
        }))
    }

    /// Ends the Run if the journal has no room for the value. The execution fails, so that a Run that resumes this one repeats it.
    fn too_much_data(&mut self, execution: ExecutionId, pin: &str, bytes: u64) -> Option<RunError> {
        let most = self.ctx().engine.config.bounds.journal_bytes;
        if self.journal.bytes().saturating_add(bytes) <= most {
            return None;
        }
        let node = self.node(execution).id.clone();
        let over = OverBound::GraphValue { node, pin: pin.to_owned(), bytes, most };
        self.over.get_or_insert_with(|| ending::too_much_data(&over));
        Some(failure(ending::TOO_MUCH_DATA, &over.to_string()))
    }

    /// Applies it and notes it. The actions that follow are queued, except rejections of this execution, which are returned.
    fn happen(&mut self, position: u32, happened: Happened) -> Result<Vec<Action>, Error> {
        let execution = match &happened {
            Happened::Emitted { execution, .. }
            | Happened::Finished { execution }
            | Happened::Failed { execution, .. } => Some(*execution),
            _ => None,
        };
        let actions = self.state.apply(self.plan, happened.clone()).map_err(|problem| Error::Input {
            problem: format!("the graph cannot go on: {problem}"),
            hint: "this is a bug of the server; run the graph again".to_owned(),
        })?;
        self.journal.note(Some(position), happened);
        let is_own = |action: &Action| matches!(action, Action::Reject { execution: rejected, .. } if Some(*rejected) == execution);
        let (own, others): (Vec<Action>, Vec<Action>) = actions.into_iter().partition(is_own);
        self.actions.extend(others);
        Ok(own)
    }
}
