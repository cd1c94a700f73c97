//! Executes one node whose block is a Function or Graph: starts a nested Run and watches it.

use std::sync::Arc;
use std::time::Duration;

use model::graph::builtin::Output;
use model::graph::scheduler::ExecutionId;
use model::ids::RunId;
use model::name::EntryName;
use model::run::{Run, RunError, RunState};
use model::version::VersionNumber;
use serde_json::{Map, Value};
use tokio::sync::mpsc::UnboundedSender;

use super::opening::all_outputs;
use super::results;
use crate::engine::execution::host::{RunHost, RunProgress, Watch};
use crate::error::Error;
use crate::prepare::Gives;

/// How long a node waits before it tries again to enter a full line for places.
const REST: Duration = Duration::from_millis(100);

/// A Run that a node starts.
pub(crate) struct NodeStart {
    pub(crate) child: RunId,
    pub(crate) target: NodeTarget,
    pub(crate) input: Map<String, Value>,
    /// Tries in all, if the node says so.
    pub(crate) retries: Option<u32>,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) watch: Watch,
    /// Called if it waits for a time or a person.
    pub(crate) on_wait: Box<dyn Fn() + Send + Sync>,
}

/// What a node calls.
#[derive(Clone, Debug)]
pub(crate) struct NodeTarget {
    pub(crate) name: EntryName,
    pub(crate) version: Option<VersionNumber>,
    pub(crate) by: NamedBy,
}

/// Where the name of what a node calls comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedBy {
    /// It is written in the Graph, and was judged when that was applied.
    Graph,
    /// It is written in the Graph, but values of somebody's own were put in the place of what the Graph makes, so this is not what was
    /// judged.
    ChangedGraph,
    /// It is a value, which may have come from anywhere.
    Value,
}

/// What an execution is to call.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) execution: ExecutionId,
    pub(super) child: RunId,
    pub(super) target: NodeTarget,
    pub(super) gives: Gives,
    pub(super) input: Map<String, Value>,
    pub(super) retries: Option<u32>,
    pub(super) timeout_ms: Option<u64>,
}

/// What a nested Run reports.
pub(super) enum NodeEvent {
    /// Counted from 0, also if it is executed again and yields what it yielded before.
    Yielded {
        execution: ExecutionId,
        index: u32,
        output: Result<Output, RunError>,
    },
    Waits {
        execution: ExecutionId,
    },
    Ended {
        execution: ExecutionId,
        outputs: Result<Vec<Output>, RunError>,
    },
    /// The database cannot be used, or the Run is somebody else's.
    Lost {
        error: Error,
    },
}

/// Runs it to its end and reports what happens.
pub(super) async fn call(host: RunHost, call: Call, tell: UnboundedSender<NodeEvent>) {
    let (execution, gives) = (call.execution, call.gives);
    let ended = loop {
        match host.0.verbs.run_node(&host.0, start(&host, &call, &tell)).await {
            Err(Error::Nesting(model::run::nesting::NestingError::Crowded { .. })) => {
                host.0.ctx.clock.wait_until(host.0.ctx.clock.now() + REST).await;
            }
            ended => break ended,
        }
    };
    let event = match ended {
        Ok(run) => match outputs(&host, gives, run).await {
            Ok(outputs) => NodeEvent::Ended { execution, outputs },
            Err(error) => NodeEvent::Lost { error },
        },
        Err(error) if error.is_passing() || error.is_stale() => NodeEvent::Lost { error },
        Err(error) => {
            let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
            let failure = results::failure("NotStarted", &format!("{error}{hint}"));
            NodeEvent::Ended { execution, outputs: Err(failure) }
        }
    };
    // Whoever listened has ended.
    let _ = tell.send(event);
}

async fn outputs(host: &RunHost, gives: Gives, run: Run) -> Result<Result<Vec<Output>, RunError>, Error> {
    if gives == Gives::Outputs && run.state == RunState::Succeeded {
        return Ok(Ok(all_outputs(&host.0.ctx, &run).await?));
    }
    Ok(results::outputs(gives, run))
}

fn start(host: &RunHost, call: &Call, tell: &UnboundedSender<NodeEvent>) -> NodeStart {
    let (execution, child, gives) = (call.execution, call.child, call.gives);
    let (waits, yields, outer) = (tell.clone(), tell.clone(), host.0.watch.clone());
    let next = std::sync::atomic::AtomicU32::new(0);
    let watch: Watch = Arc::new(move |run, happened| {
        if let (true, RunProgress::Yielded(value)) = (run == child, &happened) {
            let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let output = results::yielded(gives, value.clone());
            let _ = yields.send(NodeEvent::Yielded { execution, index, output });
        }
        if let Some(outer) = &outer {
            outer(run, happened);
        }
    });
    NodeStart {
        child,
        target: call.target.clone(),
        input: call.input.clone(),
        retries: call.retries,
        timeout_ms: call.timeout_ms,
        watch,
        on_wait: Box::new(move || {
            let _ = waits.send(NodeEvent::Waits { execution });
        }),
    }
}
