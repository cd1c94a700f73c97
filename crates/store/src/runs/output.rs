//! Output: what Runs printed.

use model::ids::RunId;
use model::run::output::OutputChunk;

use crate::db::{Batch, Row, Sql, Value};
use crate::error::Error;
use crate::store::Store;

impl Store {
    /// In the order in which it was printed.
    pub async fn output(&self, run: RunId) -> Result<Vec<OutputChunk>, Error> {
        self.db
            .query(
                "select stream, text from run_output where run_id = $1 order by position",
                [run.0.into()],
                chunk_from_row,
            )
            .await
    }
}

/// Says how many bytes these are.
pub(crate) fn push_output(batch: &mut Batch, run: RunId, chunks: &[OutputChunk]) -> usize {
    if chunks.is_empty() {
        return 0;
    }
    let row = |(chunk, position): (&OutputChunk, u32)| -> Vec<Value> {
        vec![run.0.into(), position.into(), chunk.stream.as_str().into(), chunk.text.as_str().into()]
    };
    batch.bulk(
        Sql {
            sqlite: "insert into run_output (run_id, position, stream, text) values ($1, $2, $3, $4)",
            postgres: "insert into run_output (run_id, position, stream, text)
                select * from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[])",
        },
        chunks.iter().zip(1..).map(row).collect(),
    );
    chunks.iter().map(|chunk| chunk.text.len()).sum()
}

fn chunk_from_row(row: &Row) -> Result<OutputChunk, Error> {
    Ok(OutputChunk { stream: row.word(0)?, text: row.text(1)? })
}
