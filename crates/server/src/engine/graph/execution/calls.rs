//! Nodes whose blocks are Functions and Graphs: nested Runs, started up to a limit.

use model::function::options::LONGEST_MS;
use model::graph::scheduler::ExecutionId;
use model::graph::{Link, Values};
use model::name::EntryName;
use model::version::VersionNumber;
use serde_json::{Map, Value};

use super::GraphRun;
use crate::engine::execution::end_run;
use crate::engine::graph::node::{Call, NamedBy, NodeTarget, call};
use crate::engine::graph::results::failure;
use crate::error::Error;
use crate::prepare::Gives;

/// How many Runs of nodes execute at once in one Run of a Graph; further ones wait for their turn.
const AT_ONCE: usize = 32;

impl GraphRun<'_> {
    pub(super) fn call_block(&mut self, execution: ExecutionId, input: &Values) -> Result<(), Error> {
        let node = self.node(execution);
        let (name, version) = (EntryName::new(&node.block), node.version);
        let (Ok(name), Some(called)) = (name, self.graph.called(execution.node)) else {
            let error = failure("NotFound", &format!("`{}` is not stored", node.block));
            return self.at_once(execution, input, Err(error));
        };
        let gives = called.gives;
        let given = input.iter().map(|(pin, value)| (pin.clone(), Value::clone(value))).collect();
        self.begin_call(execution, input, NodeTarget { name, version, by: self.by_graph() }, gives, given);
        Ok(())
    }

    /// A node that is given the name of what it calls as a value.
    pub(super) fn call_named(
        &mut self,
        execution: ExecutionId,
        input: &Values,
        name: &str,
        version: Option<VersionNumber>,
        given: Map<String, Value>,
    ) -> Result<(), Error> {
        let name = match EntryName::new(name) {
            Ok(name) => name,
            Err(error) => {
                return self.at_once(execution, input, Err(failure("ValueError", &error.to_string())));
            }
        };
        let by = if self.is_written(execution, &name, version) { self.by_graph() } else { NamedBy::Value };
        let target = NodeTarget { name, version, by };
        self.begin_call(execution, input, target, Gives::Value, given);
        Ok(())
    }

    /// Starts journaled calls, up to the limit.
    pub(super) fn launch(&mut self) {
        while self.under_way - self.waits.runs() < AT_ONCE {
            let Some(next) = self.ready.pop_front() else { return };
            self.under_way += 1;
            self.tasks.spawn(call(self.host.clone(), next, self.events_in.clone()));
        }
    }

    /// Ends the Run of a node whose output does not fit.
    pub(super) fn stop(&mut self, execution: ExecutionId) {
        let Some(child) = self.journal.begun(execution).and_then(|step| step.child) else { return };
        let host = self.host.clone();
        self.tasks.spawn(async move {
            end_run(&host.0.ctx, child, host.0.run.run_id).await;
        });
    }

    fn begin_call(
        &mut self,
        execution: ExecutionId,
        input: &Values,
        target: NodeTarget,
        gives: Gives,
        given: Map<String, Value>,
    ) {
        let new = self.ctx().ids.run();
        let step = self.begin(execution, input, Some(new));
        let node = self.node(execution);
        let seconds = node.timeout.as_ref().and_then(serde_json::Number::as_f64);
        self.ready.push_back(Call {
            execution,
            child: step.child.unwrap_or(new),
            target,
            gives,
            input: given,
            retries: node.retries,
            // What was stored before it was checked may be below zero or beyond all time.
            timeout_ms: seconds.map(|seconds| ((seconds * 1_000.0) as u64).clamp(1, LONGEST_MS)),
        });
    }

    /// Whether what it calls is a constant of the Graph. Whoever releases an execution may have put another name there.
    fn is_written(&self, execution: ExecutionId, name: &EntryName, version: Option<VersionNumber>) -> bool {
        let is_linked = |link: &Link| {
            link.to == self.node(execution).id && matches!(link.to_pin.as_str(), "graph" | "version")
        };
        self.node(execution).calls() == Some((name.as_str(), version))
            && !self.graph.content.links.iter().any(is_linked)
    }

    fn by_graph(&self) -> NamedBy {
        let options = self.host.0.run.how.graph.as_ref();
        if options.is_some_and(|options| options.changes_values()) || self.state.is_changed() {
            NamedBy::ChangedGraph
        } else {
            NamedBy::Graph
        }
    }
}
