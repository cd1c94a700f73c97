//! Collects what one turn of the loop adds to the journal of a Run of a Graph, and writes it as one batch.

use std::collections::HashMap;

use jiff::Timestamp;
use model::event::NewEvent;
use model::graph::Values;
use model::graph::scheduler::{ExecutionId, Happened};
use model::ids::RunId;
use model::input::json_size::json_size;
use model::run::bounds::graph_row_bytes;
use model::run::lane::Lane;
use model::run::step::Step;
use model::run::{Lease, RunError};
use serde_json::{Map, Value, json};
use store::{Durability, GraphEntry, GraphTurn};

use super::opening::Opened;
use crate::engine::execution::host::{RunHost, RunProgress};
use crate::error::Error;

/// A turn is written when it has so many rows, or rows of so many bytes: it is in memory until then, also as text.
const TURN_ROWS: usize = 2_000;
const TURN_BYTES: u64 = 4 << 20;

/// The verb of a Step that is a node execution.
pub(crate) const NODE: &str = "node";

pub(super) struct GraphJournal {
    run: RunId,
    lease: Lease,
    durability: Durability,
    turn: GraphTurn,
    turn_bytes: u64,
    /// What counts of everything that was journaled so far.
    bytes: u64,
    /// Whoever watches is told the inputs of executions that end. Otherwise they are not kept until then.
    is_watched: bool,
    /// Of the last entry.
    seq: u64,
    /// Of the last Step.
    position: u32,
    /// Executions that are journaled as begun and not as ended, or ended by whoever answered them.
    open: HashMap<ExecutionId, Step>,
}

impl GraphJournal {
    pub(super) fn new(host: &RunHost, lease: Lease, opened: &Opened) -> GraphJournal {
        let run = &host.0.run;
        let is_watched = host.0.watch.is_some();
        let durability = if run.how.waited { host.0.ctx.engine.config.durability } else { Durability::Power };
        GraphJournal {
            run: run.run_id,
            lease,
            durability,
            turn: GraphTurn::default(),
            turn_bytes: 0,
            bytes: opened.bytes,
            is_watched,
            seq: opened.seq,
            position: opened.position,
            open: opened.open.iter().filter_map(|step| Some((execution_of(step)?, step.clone()))).collect(),
        }
    }

    pub(super) fn steps(&self) -> u32 {
        self.position
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the turn should be written before more is added to it.
    pub(super) fn is_full(&self) -> bool {
        self.turn.new.len() + self.turn.happened.len() >= TURN_ROWS || self.turn_bytes >= TURN_BYTES
    }

    /// The Step of an execution that was begun before.
    pub(super) fn begun(&self, execution: ExecutionId) -> Option<&Step> {
        self.open.get(&execution)
    }

    /// Begins an execution whose effect comes after the turn is written.
    pub(super) fn begin(
        &mut self,
        execution: ExecutionId,
        node: &str,
        input: &Values,
        child: Option<RunId>,
        at: Timestamp,
    ) -> Step {
        let mut step = Step { child, ..self.step(execution, node, input, at) };
        let request = std::mem::take(&mut step.request);
        if self.is_watched {
            step.request = request.clone();
        }
        self.turn.new.push(Step { request, ..step.clone() });
        self.open.insert(execution, step.clone());
        step
    }

    /// An execution that is over at once.
    pub(super) fn whole(
        &mut self,
        execution: ExecutionId,
        node: &str,
        input: &Values,
        error: Option<RunError>,
        at: Timestamp,
    ) -> u32 {
        let mut step = self.step(execution, node, input, at);
        (step.error, step.finished_at) = (error, Some(at));
        let position = step.position;
        self.turn.new.push(step);
        position
    }

    /// The end of an execution that was begun. One that a person answered has its end already.
    pub(super) fn end(
        &mut self,
        execution: ExecutionId,
        error: Option<RunError>,
        at: Timestamp,
    ) -> Option<Step> {
        let mut step = self.open.remove(&execution)?;
        if step.finished_at.is_none() {
            (step.error, step.finished_at) = (error, Some(at));
            // What a Step that goes on notes of itself is no result.
            step.result = None;
            self.turn.ended.push(step.clone());
        }
        Some(step)
    }

    /// The last command whose effect is noted.
    pub(super) fn heard(&mut self, number: u64) {
        self.turn.heard = Some(number);
    }

    pub(super) fn note(&mut self, position: Option<u32>, happened: Happened) {
        self.seq += 1;
        self.count(json_size(&happened));
        self.turn.happened.push(GraphEntry { seq: self.seq, position, happened });
    }

    /// Adds an Event that is appended with the turn.
    pub(super) fn tell(&mut self, event: NewEvent) {
        self.turn.events.push(event);
    }

    /// Writes the turn. What follows from it must wait for that.
    pub(super) async fn write(&mut self, host: &RunHost) -> Result<(), Error> {
        if self.turn.is_empty() {
            return Ok(());
        }
        self.turn_bytes = 0;
        let turn = redacted(host, std::mem::take(&mut self.turn));
        host.0.ctx.store.record_graph_turn(self.run, self.lease, &turn, self.durability).await?;
        host.0.journaled();
        host.0.ctx.signals.graph_journaled();
        for step in turn.new.into_iter().filter(|step| step.finished_at.is_some()).chain(turn.ended) {
            host.0.ended_step(step);
        }
        Ok(())
    }

    fn step(&mut self, execution: ExecutionId, node: &str, input: &Values, at: Timestamp) -> Step {
        self.position += 1;
        let input: Map<String, Value> =
            input.iter().map(|(pin, value)| (pin.clone(), Value::clone(value))).collect();
        let request = json!({ "node": node, "input": Value::Object(input) });
        self.count(json_size(&request));
        Step {
            run_id: self.run,
            lane: lane(execution),
            number: execution.number,
            position: self.position,
            verb: NODE.to_owned(),
            request,
            result: None,
            error: None,
            child: None,
            answered_by: None,
            started_at: at,
            finished_at: None,
        }
    }

    fn count(&mut self, bytes: u64) {
        self.turn_bytes += bytes;
        self.bytes += graph_row_bytes(bytes);
    }
}

/// Without the secrets that the input handed over.
fn redacted(host: &RunHost, mut turn: GraphTurn) -> GraphTurn {
    let redaction = &host.0.redaction;
    if redaction.is_empty() {
        return turn;
    }
    for step in turn.new.iter_mut().chain(&mut turn.ended) {
        step.request = redaction.json(std::mem::take(&mut step.request));
        step.error = step.error.take().map(|error| redaction.error(error));
    }
    for entry in &mut turn.happened {
        match &mut entry.happened {
            Happened::Emitted { value, .. } => *value = redaction.json(Value::clone(value)).into(),
            Happened::Failed { error, .. } => *error = redaction.text(error).into_owned(),
            _ => {}
        }
    }
    turn
}

/// Nodes have lanes by their numbers: their names may be of any characters.
fn lane(execution: ExecutionId) -> Lane {
    let text = format!("node/{}", execution.node.0);
    Lane::new(&text).unwrap_or_else(|_| Lane::main())
}

pub(super) fn execution_of(step: &Step) -> Option<ExecutionId> {
    let node = step.lane.as_str().strip_prefix("node/")?.parse().ok()?;
    Some(ExecutionId { node: model::graph::scheduler::NodeIndex(node), number: step.number })
}

impl crate::engine::execution::host::Inner {
    /// Whoever follows reads what began, was put out or ended.
    fn journaled(&self) {
        self.steps.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        self.bell.notify_waiters();
    }

    /// Reports an ended Step to watchers.
    fn ended_step(&self, step: Step) {
        if self.watch.is_some() {
            self.tell(RunProgress::Step(step));
        }
    }
}
