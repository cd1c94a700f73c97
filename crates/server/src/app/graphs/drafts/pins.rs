//! Pinned outputs of a draft: Runs of the draft send them instead of executing the node. They are no part of the Graph.

use std::collections::BTreeMap;

use jiff::Timestamp;
use model::access::Access;
use model::access::verb::Verb;
use model::graph::scheduler::NodeOutputs;
use model::ids::RunId;
use model::input::json_size::json_size;
use model::name::EntryName;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::GraphPin;

use super::editing::add;
use super::stored::{begun, key};
use crate::app::runs;
use crate::app::runs::nodes::{self, NodeExecution, NodeFilter, NodeState};
use crate::ctx::Ctx;
use crate::error::Error;

/// Of one node; a link would carry no more either.
const MOST_BYTES: u64 = 8 << 20;
const PAGE: u32 = 1_000;

/// What is pinned.
#[derive(Clone, Debug, PartialEq, Deserialize, utoipa::ToSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Pinning {
    /// What the node gave in a run of the graph: in its last execution, if none is stated.
    Recorded {
        run: RunId,
        #[serde(default)]
        number: Option<u32>,
    },
    /// Values by output pin.
    Stated {
        #[schema(value_type = std::collections::HashMap<String, Vec<Value>>)]
        outputs: NodeOutputs,
    },
}

/// What is sent instead of executing a node.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct PinView {
    #[schema(value_type = std::collections::HashMap<String, Vec<Value>>)]
    pub outputs: NodeOutputs,
    /// The run they were taken from.
    pub run_id: Option<RunId>,
    pub pinned_at: Timestamp,
}

/// By node.
pub(super) async fn pins(ctx: &Ctx, name: &EntryName) -> Result<BTreeMap<String, PinView>, Error> {
    let view =
        |pin: GraphPin| (pin.node, PinView { outputs: pin.outputs, run_id: pin.run, pinned_at: pin.at });
    Ok(ctx.store.graph_pins(name).await?.into_iter().map(view).collect())
}

/// A Graph without a draft gets one.
pub async fn pin(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    node: &str,
    pinning: Pinning,
) -> Result<PinView, Error> {
    access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    let (draft, is_stored) = begun(ctx, name).await?;
    if draft.content.node(node).is_none() {
        return Err(Error::Input {
            problem: format!("the draft of `{name}` has no node `{node}`"),
            hint: format!("`selfmade graph show {name} --draft` shows its nodes"),
        });
    }
    let (outputs, run) = match pinning {
        Pinning::Stated { outputs } => (outputs, None),
        Pinning::Recorded { run, number } => {
            (recorded(ctx, access, name, node, run, number).await?, Some(run))
        }
    };
    let bytes = json_size(&outputs);
    if bytes > MOST_BYTES {
        return Err(Error::Input {
            problem: format!("the outputs of `{node}` have {bytes} bytes, and {MOST_BYTES} can be pinned"),
            hint: "state smaller outputs yourself".to_owned(),
        });
    }
    let secrets = ctx.redaction_for(&[&access.authority]).await?;
    if serde_json::to_value(&outputs).is_ok_and(|outputs| !secrets.only_in(&outputs).is_empty()) {
        return Err(Error::Input {
            problem: "a pinned output contains the value of a secret, and pinned outputs are stored"
                .to_owned(),
            hint: "let the node be executed, or pin another value".to_owned(),
        });
    }
    if !is_stored {
        add(ctx, &draft).await?;
    }
    let pin = GraphPin { node: node.to_owned(), outputs, run, at: ctx.clock.now() };
    if !ctx.store.pin_graph_node(name, &pin).await? {
        return Err(Error::NoGraphDraft { graph: name.clone() });
    }
    Ok(PinView { outputs: pin.outputs, run_id: pin.run, pinned_at: pin.at })
}

/// From now on the node is executed again.
pub async fn unpin(ctx: &Ctx, access: &Access, name: &EntryName, node: &str) -> Result<(), Error> {
    access.may_touch(Verb::ProposeChangeset, name.as_str())?;
    match ctx.store.unpin_graph_node(name, node).await? {
        true => Ok(()),
        false => Err(Error::Absent { noun: "pinned node", name: node.to_owned() }),
    }
}

async fn recorded(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    node: &str,
    id: RunId,
    number: Option<u32>,
) -> Result<NodeOutputs, Error> {
    let run = runs::get(ctx, access, id).await?;
    if run.key != key(name) {
        return Err(Error::Input {
            problem: format!("run {id} is of `{}`, and not of the graph `{name}`", run.key.name),
            hint: format!("`selfmade runs list {name}` lists its runs"),
        });
    }
    let found = execution(ctx, access, id, node, number).await?;
    let found = found.filter(|found| found.state == NodeState::Succeeded && !found.outputs.is_empty());
    let Some(found) = found else {
        return Err(Error::Input {
            problem: format!("node `{node}` gave nothing that could be pinned in run {id}"),
            hint: format!("`selfmade runs nodes {id} --node \"{node}\"` lists its executions"),
        });
    };
    let values = |(pin, values): (String, Value)| match values {
        Value::Array(values) => (pin, values),
        value => (pin, vec![value]),
    };
    Ok(found.outputs.into_iter().map(values).collect())
}

/// The execution of this number, or else the last.
async fn execution(
    ctx: &Ctx,
    access: &Access,
    run: RunId,
    node: &str,
    number: Option<u32>,
) -> Result<Option<NodeExecution>, Error> {
    let mut filter = NodeFilter { node: Some(node.to_owned()), limit: PAGE, ..NodeFilter::default() };
    let mut last = None;
    loop {
        let (executions, is_cut) = nodes::list(ctx, access, run, &filter).await?;
        for execution in executions {
            filter.after = execution.position;
            if Some(execution.number) == number {
                return Ok(Some(execution));
            }
            last = Some(execution);
        }
        if !is_cut {
            return Ok(last.filter(|_| number.is_none()));
        }
    }
}
