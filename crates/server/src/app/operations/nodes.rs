//! Which servers there are.

use jiff::{SignedDuration, Timestamp};
use model::access::Access;
use model::access::verb::Verb;
use model::ids::NodeId;
use serde::{Deserialize, Serialize};
use store::Node;

use crate::ctx::Ctx;
use crate::error::Error;

/// A server process of this brain.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct NodeView {
    pub node_id: NodeId,
    pub name: String,
    /// What it does: `http`, `engine`, `triggers`, `scheduler`.
    pub roles: Vec<String>,
    pub started_at: Timestamp,
    /// When it last said that it is there.
    pub seen_at: Timestamp,
    /// Whether it said so lately. One that stopped in good order is not listed any more; one that did not is listed for a week.
    pub alive: bool,
    /// Runs that it executes.
    pub runs: u64,
    /// Whether it is the server that answers.
    pub this: bool,
}

/// The oldest first.
pub async fn list(ctx: &Ctx, access: &Access) -> Result<Vec<NodeView>, Error> {
    access.may_touch_all(Verb::ReadNodes)?;
    let nodes = ctx.store.nodes().await?;
    Ok(nodes.into_iter().map(|node| view(ctx, node)).collect())
}

fn view(ctx: &Ctx, node: Node) -> NodeView {
    // For as long as others leave it its runs.
    let lease = SignedDuration::try_from(ctx.engine.config.lease).unwrap_or(SignedDuration::MAX);
    let Node { node_id, name, roles, started_at, seen_at, runs } = node;
    NodeView {
        alive: ctx.clock.now().duration_since(seen_at) < lease,
        this: node_id == ctx.engine.node(),
        roles: roles.split(',').filter(|role| !role.is_empty()).map(str::to_owned).collect(),
        node_id,
        name,
        started_at,
        seen_at,
        runs,
    }
}
