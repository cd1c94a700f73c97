//! Commands for a Run of a Graph, such as releasing a breakpoint, and what it is held at until they arrive.

use std::time::Duration;

use model::graph::scheduler::Happened;

use super::GraphRun;
use crate::engine::graph::waiting::Held;
use crate::engine::node::database_retry::retry_while_unavailable;
use crate::error::Error;

/// How often commands are read while the Run is held at a breakpoint and other nodes are running.
pub(super) const LISTEN: Duration = Duration::from_millis(500);
/// How many held nodes are named in the record of the Run.
const SHOWN_HELD: usize = 20;

impl GraphRun<'_> {
    /// Applies commands: about breakpoints, or to continue a Run that failed.
    pub(super) async fn take_commands(&mut self) -> Result<(), Error> {
        let (ctx, run) = (self.ctx().clone(), self.host.0.run.run_id);
        let commands =
            retry_while_unavailable(&ctx, || async { Ok(ctx.store.graph_commands(run).await?) }).await?;
        for (number, happened) in commands {
            // What was released twice is released once.
            if let Ok(actions) = self.state.apply(self.plan, happened.clone()) {
                if happened == Happened::Resumed {
                    self.outputs.ended = None;
                }
                self.journal.note(None, happened);
                self.actions.extend(actions);
            }
            self.journal.heard(number);
        }
        Ok(())
    }

    pub(super) fn held(&self) -> Option<Held> {
        if !self.state.is_held() {
            return None;
        }
        let nodes = self.state.held(self.plan).into_iter().take(SHOWN_HELD);
        let nodes = nodes.map(|(execution, _)| self.node(execution).id.clone()).collect();
        Some(Held { nodes, values: self.state.held_values().count() })
    }
}
