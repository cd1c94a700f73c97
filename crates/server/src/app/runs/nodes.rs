//! The node executions of a Run of a Graph, a page at a time.

use std::collections::HashMap;

use jiff::Timestamp;
use model::access::Access;
use model::graph::scheduler::Happened;
use model::ids::RunId;
use model::input::json_size::json_size;
use model::run::lane::Lane;
use model::run::step::Step;
use model::run::{Run, RunError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::GraphEntry;

use super::seen_steps::SeenSteps;
use super::touched;
use crate::ctx::Ctx;
use crate::error::Error;
use crate::prepare::Callable;

/// A page ends with the execution that reaches so many bytes, whatever its limit.
const PAGE_BYTES: u64 = 8 << 20;

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct NodeExecution {
    pub node: String,
    /// Counts the executions of this node from 1.
    pub number: u32,
    /// Counts the executions of the run from 1, in the order in which they began.
    pub position: u32,
    pub state: NodeState,
    /// By pin.
    pub input: Value,
    /// What left, by pin, in order.
    pub outputs: Map<String, Value>,
    /// Whether more left than `outputs` has.
    pub more_outputs: bool,
    pub error: Option<RunError>,
    /// The run of its function or graph.
    pub run_id: Option<RunId>,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    /// Executed, or waiting for a time or a person.
    Running,
    Succeeded,
    Failed,
}

/// A node execution that began or ended, as those hear of it who follow the run.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct NodeProgress {
    pub node: String,
    pub number: u32,
    /// Tells it from all other executions of the run.
    pub position: u32,
    pub state: NodeState,
    pub input: Value,
    pub error: Option<RunError>,
    pub run_id: Option<RunId>,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

/// A value that left a node execution.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct NodeOutput {
    pub node: String,
    pub number: u32,
    pub position: u32,
    pub pin: String,
    pub value: Value,
}

impl NodeProgress {
    /// As it is by now.
    pub(super) fn of(step: Step) -> NodeProgress {
        let NodeExecution {
            node,
            number,
            position,
            state,
            input,
            error,
            run_id,
            started_at,
            finished_at,
            ..
        } = node_execution(step, Left::default());
        NodeProgress { node, number, position, state, input, error, run_id, started_at, finished_at }
    }

    /// As it was when it began. How it ended comes later, except of one that failed: it may have ended without having begun.
    pub(super) fn begun(step: Step) -> NodeProgress {
        let now = NodeProgress::of(step);
        match now.state {
            NodeState::Failed => now,
            _ => NodeProgress { state: NodeState::Running, finished_at: None, ..now },
        }
    }
}

/// Which executions.
#[derive(Clone, Debug, Default)]
pub struct NodeFilter {
    pub node: Option<String>,
    /// Those after this position.
    pub after: u32,
    pub limit: u32,
    /// How many values of each execution are listed; all if none is stated.
    pub outputs: Option<u32>,
}

/// In the order in which they began, and whether there may be more.
pub async fn list(
    ctx: &Ctx,
    access: &Access,
    id: RunId,
    filter: &NodeFilter,
) -> Result<(Vec<NodeExecution>, bool), Error> {
    let run = touched(ctx, access, id).await?;
    let lane = match &filter.node {
        Some(node) => Some(lane_of(ctx, &run, node).await?),
        None => None,
    };
    let mut steps = ctx
        .store
        .graph_steps(id, lane.as_ref(), filter.after, filter.limit)
        .await
        .map_err(|error| Error::of_record(id, error))?;
    let is_full = steps.len() >= filter.limit as usize;
    let fitting = fitting(&steps);
    let is_cut = fitting < steps.len();
    steps.truncate(fitting);
    let positions: Vec<u32> = steps.iter().map(|step| step.position).collect();
    let entries = match filter.outputs {
        // One more shows whether there are more.
        Some(most) => ctx.store.first_graph_outputs(id, &positions, most.saturating_add(1)).await?,
        None => ctx.store.graph_outputs(id, &positions).await?,
    };
    let mut left = values_left(entries, filter.outputs);
    let seen = SeenSteps::of(ctx, access, &run).await?;
    let execution = |step: Step| {
        let left = left.remove(&step.position).unwrap_or_default();
        node_execution(seen.step(step), left)
    };
    Ok((steps.into_iter().map(execution).collect(), is_full || is_cut))
}

/// How many of these a page has room for; one at least.
fn fitting(steps: &[Step]) -> usize {
    let mut bytes = 0;
    let full = steps.iter().position(|step| {
        bytes += json_size(&step.request);
        bytes > PAGE_BYTES
    });
    full.map_or(steps.len(), |at| at + 1)
}

async fn lane_of(ctx: &Ctx, run: &Run, node: &str) -> Result<Lane, Error> {
    let prepared = ctx.engine.closures.for_run(ctx, run).await?;
    let at = match &prepared.callable {
        Callable::Graph(graph, _) => graph.content.nodes.iter().position(|known| known.id == node),
        Callable::Function(_) => None,
    };
    let unknown = || Error::Input {
        problem: format!("run {} has no node `{node}`", run.run_id),
        hint: format!("`selfmade graph show {}` shows its nodes", run.key.name),
    };
    Lane::new(&format!("node/{}", at.ok_or_else(unknown)?)).map_err(|_| unknown())
}

/// What left an execution.
#[derive(Default)]
struct Left {
    outputs: Map<String, Value>,
    /// How many entries of the journal were read.
    entries: u32,
    is_more: bool,
}

fn values_left(entries: Vec<GraphEntry>, most: Option<u32>) -> HashMap<u32, Left> {
    let mut found: HashMap<u32, Left> = HashMap::new();
    for entry in entries {
        let Some(position) = entry.position else { continue };
        let left = found.entry(position).or_default();
        left.entries += 1;
        let is_beyond = most.is_some_and(|most| left.entries > most);
        left.is_more |=
            is_beyond && !matches!(entry.happened, Happened::Finished { .. } | Happened::Failed { .. });
        let Happened::Emitted { pin, value, .. } = entry.happened else { continue };
        if is_beyond {
            continue;
        }
        let values = left.outputs.entry(pin).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(values) = values {
            values.push(Value::clone(&value));
        }
    }
    found
}

fn node_execution(mut step: Step, left: Left) -> NodeExecution {
    let is_hidden = step.request.get("input").is_none();
    let mut part = |name: &str| step.request.get_mut(name).map(Value::take).unwrap_or_default();
    let (node, input) = (part("node"), part("input"));
    let state = match (&step.error, step.finished_at) {
        (Some(_), _) => NodeState::Failed,
        (None, Some(_)) => NodeState::Succeeded,
        (None, None) => NodeState::Running,
    };
    NodeExecution {
        node: node.as_str().unwrap_or_default().to_owned(),
        number: step.number,
        position: step.position,
        state,
        input,
        more_outputs: left.is_more && !is_hidden,
        outputs: if is_hidden { Map::new() } else { left.outputs },
        error: step.error,
        run_id: step.child,
        started_at: step.started_at,
        finished_at: step.finished_at,
    }
}
