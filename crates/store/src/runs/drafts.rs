//! What Runs of drafts and scripts execute, as it was when the Run was started.

use model::entry::EntryKind;
use model::ids::RunId;
use model::run::draft::DraftContent;

use crate::db::{Batch, Row, Value};
use crate::error::Error;
use crate::store::Store;

impl Store {
    /// Of a Run of a Graph its draft, of a Run of a Function the script.
    pub async fn run_draft(&self, run: RunId, kind: EntryKind) -> Result<Option<DraftContent>, Error> {
        let sql = "select content from run_drafts where run_id = $1";
        let read = move |row: &Row| match kind {
            EntryKind::Graph => row.json(0).map(DraftContent::Graph),
            _ => row.json(0).map(DraftContent::Code),
        };
        self.db.optional(sql, [run.0.into()], read).await
    }
}

/// How many [`push_run_draft`] adds.
pub(super) const STATEMENTS: usize = 2;

/// A Run that was not recorded, because its idempotency key was used before, has none; one that was recorded before has its own.
pub(super) fn push_run_draft(batch: &mut Batch, run: RunId, content: &DraftContent) -> Result<(), Error> {
    let content = Value::json(content)?;
    let bytes = content.text_bytes();
    batch.push(
        "update runs set bytes = bytes + $2
         where run_id = $1 and not exists (select 1 from run_drafts where run_drafts.run_id = $1)",
        [run.0.into(), bytes.into()],
    );
    batch.push(
        "insert into run_drafts (run_id, content)
         select $1, $2 where exists (select 1 from runs where run_id = $1)
            and not exists (select 1 from run_drafts where run_id = $1)",
        [run.0.into(), content],
    );
    Ok(())
}
