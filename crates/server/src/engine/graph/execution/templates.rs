//! Executes `@template`.

use std::sync::Arc;

use model::graph::Values;
use model::graph::scheduler::ExecutionId;
use serde_json::{Map, Value};

use super::GraphRun;
use crate::engine::graph::node::NodeEvent;
use crate::engine::graph::template::{outputs, question};
use crate::error::Error;

impl GraphRun<'_> {
    /// At once if that is harmless; otherwise beside the loop, which goes on.
    pub(super) fn render(
        &mut self,
        execution: ExecutionId,
        input: &Values,
        template: String,
        values: Map<String, Value>,
    ) -> Result<(), Error> {
        let question = question(template, values);
        let expressions = Arc::clone(&self.ctx().expressions);
        if let Some(evaluated) = expressions.evaluate_plain(&question) {
            return self.at_once(execution, input, outputs(evaluated));
        }
        self.begin(execution, input, None);
        self.under_way += 1;
        let events = self.events_in.clone();
        self.tasks.spawn(async move {
            let outputs = outputs(expressions.evaluate(&question).await);
            // Whoever listened has ended.
            let _ = events.send(NodeEvent::Ended { execution, outputs });
        });
        Ok(())
    }
}
