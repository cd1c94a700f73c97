//! How a Run of a Graph ends.

use model::graph::scheduler::{EndState, Outcome};
use model::run::bounds::OverBound;
use model::run::{End, Ending, RunState};
use serde_json::Value;

use super::GraphRun;
use crate::engine::graph::results::failure;

/// The type of the error of a Run that passes more values than its journal may take.
pub(super) const TOO_MUCH_DATA: &str = "TooMuchData";

impl GraphRun<'_> {
    pub(super) fn end(mut self) -> End {
        let Some(outcome) = self.outputs.ended.take() else { return End::cancelled(None) };
        for (name, count) in self.outputs.counts.iter().filter(|(_, count)| **count > 1) {
            let text = format!(
                "output `{name}` was given {count} values; the result has the last one. Put `@collect` before it to get all.\n"
            );
            sandbox::Host::output(self.host, sandbox::Stream::Stderr, text.as_bytes());
        }
        let output = Value::Object(std::mem::take(&mut self.outputs.last));
        end_of(&outcome, output)
    }
}

/// How a Run ends whose Graph ended like this.
pub(in crate::engine::graph) fn end_of(outcome: &Outcome, output: Value) -> End {
    match outcome.state {
        // It had no cell, so there is nothing that it used of one.
        EndState::Succeeded => End {
            state: RunState::Succeeded,
            ending: Some(Ending::Returned),
            output: Some(output),
            error: None,
            usage: None,
        },
        EndState::Cancelled => End::cancelled(None),
        EndState::Failed => End {
            state: RunState::Failed,
            ending: Some(Ending::Raised),
            output: None,
            error: Some(failure("GraphFailed", &outcome.to_string())),
            usage: None,
        },
    }
}

pub(super) fn too_much_data(over: &OverBound) -> End {
    End::failed(TOO_MUCH_DATA, over.to_string(), None)
}

pub(super) fn timed_out() -> End {
    let message = "the graph used up its time; give its run more with `timeout`";
    End::failed("TimedOut", message, Some(Ending::TimedOut))
}
