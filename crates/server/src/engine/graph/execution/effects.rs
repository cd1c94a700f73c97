//! Built-in blocks whose outputs come later: after a time, from a person, or from a nested Run.

use std::time::Duration;

use model::graph::Values;
use model::graph::builtin::{Effect, WaitTime};
use model::graph::scheduler::ExecutionId;
use model::run::question;
use model::version::VersionNumber;
use serde_json::Value;

use super::GraphRun;
use crate::engine::graph::results::failure;
use crate::error::Error;

/// Longer waits are cut to a year, in seconds.
const LONGEST_WAIT: f64 = 366.0 * 86_400.0;

impl GraphRun<'_> {
    pub(super) fn effect(
        &mut self,
        execution: ExecutionId,
        input: &Values,
        effect: Effect,
    ) -> Result<(), Error> {
        match &effect {
            Effect::Wait { time, .. } => {
                let time = time.clone();
                let step = self.begin(execution, input, None);
                let until = match time {
                    WaitTime::Until(until) => until,
                    WaitTime::Seconds(seconds) => {
                        step.started_at + Duration::from_secs_f64(seconds.min(LONGEST_WAIT))
                    }
                };
                self.waits.for_time(execution, until, step.position);
                self.effects.insert(execution, effect);
                if until <= self.ctx().clock.now() { self.take_due_times() } else { Ok(()) }
            }
            Effect::Ask { question } => {
                if !self.host.0.may_suspend {
                    let message = "the input of this run holds a secret that is not recorded, so it cannot wait for a person";
                    return self.at_once(execution, input, Err(failure("Refused", message)));
                }
                let question = self.host.0.redaction.json(question.clone());
                let most = self.ctx().engine.config.bounds.event_bytes;
                if let Err(error) = question::check_size(&question, most) {
                    return self.at_once(execution, input, Err(failure("ValueTooLarge", &error.to_string())));
                }
                let is_new = self.journal.begun(execution).is_none();
                let step = self.begin(execution, input, None);
                if is_new {
                    let now = self.ctx().clock.now();
                    let event = question::event(&self.host.0.run, step.position, &question, now);
                    self.journal.tell(event);
                }
                if step.finished_at.is_some() {
                    let answer = step.result.clone().unwrap_or_default();
                    return self.ended(execution, Ok(effect.outputs(answer)));
                }
                self.waits.for_person(execution, step.position, question);
                self.effects.insert(execution, effect);
                Ok(())
            }
            Effect::Render { template, values } => {
                self.render(execution, input, template.clone(), values.clone())
            }
            Effect::Call { name, version, input: given } => {
                self.call_named(execution, input, name, version.map(VersionNumber), given.clone())
            }
        }
    }

    pub(super) fn take_due_times(&mut self) -> Result<(), Error> {
        for execution in self.waits.due(self.ctx().clock.now()) {
            self.waits.no_longer(execution);
            if let Some(effect) = self.effects.remove(&execution) {
                self.ended(execution, Ok(effect.outputs(Value::Null)))?;
            }
        }
        Ok(())
    }
}
