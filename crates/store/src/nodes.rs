//! Nodes: server processes that execute Runs.

use jiff::{SignedDuration, Timestamp};
use model::ids::NodeId;

use crate::db::{Batch, Durability, Row};
use crate::error::Error;
use crate::store::Store;

/// One that was not seen for so long is forgotten.
const FORGOTTEN_AFTER: SignedDuration = SignedDuration::from_hours(7 * 24);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub node_id: NodeId,
    /// For people: where it runs.
    pub name: String,
    /// Names of roles, with commas between them.
    pub roles: String,
    pub started_at: Timestamp,
    /// When it last said that it is there.
    pub seen_at: Timestamp,
    /// Runs that it executes.
    pub runs: u64,
}

impl Store {
    /// Says that a node is there from now on. Those that have said nothing for a week are forgotten.
    pub async fn node_started(
        &self,
        node: NodeId,
        name: &str,
        roles: &str,
        at: Timestamp,
    ) -> Result<(), Error> {
        let mut batch = Batch::new();
        batch.push(
            "insert into nodes (node_id, name, roles, started_at, seen_at) values ($1, $2, $3, $4, $4)
             on conflict (node_id) do update set name = excluded.name, roles = excluded.roles,
                seen_at = excluded.seen_at",
            [node.0.into(), name.into(), roles.into(), at.into()],
        );
        let forgotten = at.saturating_sub(FORGOTTEN_AFTER).unwrap_or(Timestamp::MIN);
        batch.push("delete from nodes where seen_at < $1", [forgotten.into()]);
        self.db.write(batch, Durability::Process).await.map(drop)
    }

    /// Says that a node is gone, and executes nothing any more.
    pub async fn node_stopped(&self, node: NodeId) -> Result<(), Error> {
        let mut batch = Batch::new();
        batch.push("delete from nodes where node_id = $1", [node.0.into()]);
        self.db.write(batch, Durability::Process).await.map(drop)
    }

    /// The oldest first.
    pub async fn nodes(&self) -> Result<Vec<Node>, Error> {
        self.db
            .query(
                "select node_id, name, roles, started_at, seen_at,
                    (select count(*) from runs where state = 'running' and runs.node_id = nodes.node_id)
                 from nodes order by started_at, node_id",
                [],
                node_from_row,
            )
            .await
    }
}

fn node_from_row(row: &Row) -> Result<Node, Error> {
    Ok(Node {
        node_id: NodeId(row.uuid(0)?),
        name: row.text(1)?,
        roles: row.text(2)?,
        started_at: row.timestamp(3)?,
        seen_at: row.timestamp(4)?,
        runs: row.unsigned(5)?,
    })
}
