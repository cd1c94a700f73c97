//! Pinned outputs of drafts: what Runs of a draft send instead of executing a node.

use jiff::Timestamp;
use model::graph::scheduler::NodeOutputs;
use model::ids::RunId;
use model::name::EntryName;

use crate::db::{Batch, Durability, Row, Value};
use crate::error::Error;
use crate::store::Store;

#[derive(Clone, Debug, PartialEq)]
pub struct GraphPin {
    pub node: String,
    /// By pin.
    pub outputs: NodeOutputs,
    /// The Run they were taken from.
    pub run: Option<RunId>,
    pub at: Timestamp,
}

impl Store {
    /// By node.
    pub async fn graph_pins(&self, graph: &EntryName) -> Result<Vec<GraphPin>, Error> {
        let sql = "select node, outputs, run_id, pinned_at from graph_pins where name = $1 order by node";
        self.db.query(sql, [graph.as_str().into()], pin_from_row).await
    }

    /// Pins the outputs of a node, instead of those that were pinned before. False if the graph has no draft.
    pub async fn pin_graph_node(&self, graph: &EntryName, pin: &GraphPin) -> Result<bool, Error> {
        let mut batch = Batch::new();
        batch.guard(
            "update graph_drafts set updated_at = updated_at where name = $1",
            [graph.as_str().into()],
            "the graph has a draft",
        );
        batch.push(
            "insert into graph_pins (name, node, outputs, run_id, pinned_at) values ($1, $2, $3, $4, $5)
             on conflict (name, node) do update
             set outputs = excluded.outputs, run_id = excluded.run_id, pinned_at = excluded.pinned_at",
            [
                graph.as_str().into(),
                pin.node.as_str().into(),
                Value::json(&pin.outputs)?,
                pin.run.map(|run| run.0).into(),
                pin.at.into(),
            ],
        );
        self.db.write(batch, Durability::Power).await.map_or_else(Error::absent, |_| Ok(true))
    }

    /// Whether there was one to remove.
    pub async fn unpin_graph_node(&self, graph: &EntryName, node: &str) -> Result<bool, Error> {
        let mut batch = Batch::new();
        batch.guard(
            "delete from graph_pins where name = $1 and node = $2",
            [graph.as_str().into(), node.into()],
            "the node is pinned",
        );
        self.db.write(batch, Durability::Power).await.map_or_else(Error::absent, |_| Ok(true))
    }
}

fn pin_from_row(row: &Row) -> Result<GraphPin, Error> {
    Ok(GraphPin {
        node: row.text(0)?,
        outputs: row.json(1)?,
        run: row.optional_uuid(2)?.map(RunId),
        at: row.timestamp(3)?,
    })
}
