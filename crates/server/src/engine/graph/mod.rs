//! Runs of Graphs. `model::graph::scheduler` decides what to do next; this module executes and journals it.
//!
//! A node execution is a Step of the Run, in the lane of its node. A built-in block is executed here. A Function or Graph is a nested Run
//! whose id is journaled before it is started, so that after a crash it is found and not started twice. Results are journaled before
//! anything depends on them: `journal` collects a batch and writes it, `execution` is the loop, `node` executes one node,
//! `waiting` decides when the Run may wait without a place, `opening` restores the state from the journal, `replay` compares it with the journal.

mod execution;
mod journal;
mod node;
mod opening;
mod replay;
mod results;
mod template;
mod waiting;

use std::sync::Arc;
use std::time::Duration;

use model::run::{End, Outcome, Run};

use super::execution::budget::Deadline;
use super::execution::host::{Parts, RunHost};
use super::execution::journal::Journal;
use super::execution::store_next::store_next;
use super::execution::{Execution, interrupted, redacted, released};
use crate::ctx::Ctx;
use crate::error::Error;
use crate::prepare::PreparedGraph;

pub(crate) use self::journal::NODE;
pub(crate) use self::node::{NamedBy, NodeStart, NodeTarget};
pub(crate) use self::opening::{recorded_outputs, state_of};
pub(crate) use self::replay::{GraphReplay, replay_graph};
pub(crate) use self::template::render_template;

/// Executes a Run of a Graph, as `execution::execute` does one of a Function.
pub(super) async fn execute(
    ctx: &Ctx,
    execution: Execution,
    graph: &PreparedGraph,
    deadline: Option<&Deadline>,
) -> Result<Run, Error> {
    let Execution { run, given, lease, prepared, steps: _, watch, handed_over, mut owned, place: _place } =
        execution;
    let interrupt = owned.interrupt.clone();
    let redaction = Arc::new(handed_over);
    let host = RunHost::new(Parts {
        ctx: ctx.clone(),
        journal: Journal::new(run.run_id, Vec::new(), ctx.engine.config.bounds),
        run: bounded(run.clone(), deadline),
        prepared: Arc::clone(&prepared),
        interrupt: interrupt.clone(),
        redaction: Arc::clone(&redaction),
        lease: Some(lease),
        watch,
    });
    owned.begin(&host);
    let input = given.unwrap_or_else(|| run.input.clone());
    let outcome = tokio::select! {
        biased;
        () = interrupt.token.cancelled() => None,
        outcome = execution::execute(&host, graph, input, lease) => Some(outcome),
    };
    // Whoever goes on with it gets other cells: one that waits holds none.
    ctx.engine.executor.release(&run.run_id.to_string());
    let outcome = match (outcome, interrupt.why().and_then(interrupted)) {
        (Some(Ok(Outcome::Ended(end))), _) => Outcome::Ended(match deadline {
            Some(deadline) => deadline.explained(end, ctx.clock.now()),
            None => end,
        }),
        (Some(Ok(outcome)), _) => outcome,
        (Some(Err(error)), _) if error.is_passing() => Outcome::DatabaseFailed(error.to_string()),
        // Its end was asked for, or another node has it. Which of the two, ending it shows.
        (Some(Err(error)), _) if error.is_stale() => Outcome::Cancelled,
        (Some(Err(error)), _) => Outcome::Ended(End::failed("NotExecuted", error.to_string(), None)),
        (None, Some(outcome)) => outcome,
        (None, None) => return released(owned, Err(Error::LeaseLost { run: run.run_id })),
    };
    let collected = host.collected();
    let next = redacted(run.next(outcome, ctx.clock.now(), ctx.ids.chance()), &redaction);
    released(owned, store_next(ctx, run, lease, next, collected).await)
}

/// With no more time than its budget leaves it.
fn bounded(mut run: Run, deadline: Option<&Deadline>) -> Run {
    if let Some(deadline) = deadline {
        let time = run.how.timeout_ms.map_or(Duration::MAX, Duration::from_millis);
        let left = deadline.within(time, run.started_at.unwrap_or(run.created_at));
        run.how.timeout_ms = u64::try_from(left.as_millis()).ok();
    }
    run
}
