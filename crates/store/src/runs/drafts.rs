//! What Runs of drafts execute: the draft as it was when the Run was started.

use model::graph::GraphContent;
use model::ids::RunId;

use crate::db::{Batch, Value};
use crate::error::Error;
use crate::store::Store;

impl Store {
    pub async fn run_draft(&self, run: RunId) -> Result<Option<GraphContent>, Error> {
        let sql = "select content from run_drafts where run_id = $1";
        self.db.optional(sql, [run.0.into()], |row| row.json(0)).await
    }
}

/// How many [`push_run_draft`] adds.
pub(super) const STATEMENTS: usize = 2;

/// A Run that was not recorded, because its idempotency key was used before, has none.
pub(super) fn push_run_draft(batch: &mut Batch, run: RunId, content: &GraphContent) -> Result<(), Error> {
    let content = Value::json(content)?;
    let bytes = content.text_bytes();
    batch.push("update runs set bytes = bytes + $2 where run_id = $1", [run.0.into(), bytes.into()]);
    batch.push(
        "insert into run_drafts (run_id, content)
         select $1, $2 where exists (select 1 from runs where run_id = $1)",
        [run.0.into(), content],
    );
    Ok(())
}
