//! Runs of Graphs. What comes next is decided by `model::graph::scheduler`; here it is carried out and journaled.
//!
//! A node execution is a Step of the Run, in the lane of its node. A built-in block is executed here; a Function or Graph is a Run of
//! its own, which the Step names before it is started, so that it is found again instead of being started twice. What happened is
//! journaled before anything follows from it: `journal` collects a turn and writes it, `execution` is the loop, `node` carries out
//! one node, `waiting` says when the Run may wait without a place, `opening` makes the state again from the journal.

mod execution;
mod journal;
mod node;
mod opening;
mod results;
mod template;
mod waiting;

use std::sync::Arc;

use model::run::{End, Outcome, Run};

use super::execution::host::{Parts, RunHost};
use super::execution::journal::Journal;
use super::execution::settling::settle;
use super::execution::{Execution, interrupted, settled, struck};
use crate::ctx::Ctx;
use crate::error::Error;
use crate::prepare::PreparedGraph;

pub(crate) use self::node::NodeStart;
pub(crate) use self::opening::state_of;

/// Carries a Run of a Graph out, like `execution::carry_out` one of a Function.
pub(super) async fn carry_out(ctx: &Ctx, execution: Execution, graph: &PreparedGraph) -> Result<Run, Error> {
    let Execution { run, given, lease, prepared, steps: _, watch, handed_over, mut in_hand, place: _place } =
        execution;
    let interrupt = in_hand.interrupt.clone();
    let redaction = Arc::new(handed_over);
    let host = RunHost::new(Parts {
        ctx: ctx.clone(),
        journal: Journal::new(run.run_id, Vec::new(), ctx.engine.config.bounds),
        run: run.clone(),
        prepared: Arc::clone(&prepared),
        interrupt: interrupt.clone(),
        redaction: Arc::clone(&redaction),
        lease: Some(lease),
        watch,
    });
    in_hand.begin(&host);
    let input = given.unwrap_or_else(|| run.input.clone());
    let outcome = tokio::select! {
        biased;
        () = interrupt.token.cancelled() => None,
        outcome = execution::execute(&host, graph, input, lease) => Some(outcome),
    };
    let outcome = match (outcome, interrupt.why().and_then(interrupted)) {
        (Some(Ok(outcome)), _) => outcome,
        (Some(Err(error)), _) if error.is_passing() => Outcome::DatabaseFailed(error.to_string()),
        // Its end was asked for, or another node has it. Which of the two, ending it shows.
        (Some(Err(error)), _) if error.is_stale() => Outcome::Cancelled,
        (Some(Err(error)), _) => Outcome::Ended(End::failed("NotExecuted", error.to_string(), None)),
        (None, Some(outcome)) => outcome,
        (None, None) => return settled(in_hand, Err(Error::LeaseLost { run: run.run_id })),
    };
    let collected = host.collected();
    let next = struck(run.next(outcome, ctx.clock.now(), ctx.ids.chance()), &redaction);
    settled(in_hand, settle(ctx, run, lease, next, collected).await)
}
