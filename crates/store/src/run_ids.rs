//! Ids of Runs as people type them: by their beginning, which an index finds, or by their end, which is shorter, because
//! the beginning is the time and shared by all Runs of a minute.

use model::ids::RunId;
use uuid::Uuid;

use crate::db::{Sql, Value};
use crate::error::Error;
use crate::store::Store;

/// Ends are looked for among this many of the newest Runs, by walking over their ids: an index by end would be written to
/// with every Run, at a place that is not in memory.
const NEWEST: u32 = 1_000_000;

const DIGITS: usize = 32;

impl Store {
    /// Runs whose id begins or ends with these hexadecimal digits, at most so many of each, newest first.
    pub async fn run_ids(&self, digits: &str, limit: u32) -> Result<Vec<RunId>, Error> {
        let Some((first, last)) = range(digits) else { return Ok(Vec::new()) };
        let beginning =
            "select run_id from runs where run_id >= $1 and run_id <= $2 order by run_id desc limit $3";
        let end = Sql {
            sqlite: "select run_id from (select run_id from runs order by run_id desc limit $3) as newest
                where substr(hex(run_id), -length($1)) = upper($1) order by run_id desc limit $2",
            postgres: "select run_id from (select run_id from runs order by run_id desc limit $3) as newest
                where right(replace(run_id::text, '-', ''), length($1)) = lower($1) order by run_id desc limit $2",
        };
        let beginning: (Sql, Vec<Value>) = (beginning.into(), vec![first.into(), last.into(), limit.into()]);
        let end = (end, vec![digits.into(), limit.into(), NEWEST.into()]);
        let answers = self.db.read(vec![beginning, end]).await?;
        let ids = answers.iter().flatten().map(|row| row.uuid(0).map(RunId));
        let mut ids = ids.collect::<Result<Vec<_>, _>>()?;
        ids.sort_by(|a, b| b.cmp(a));
        ids.dedup();
        Ok(ids)
    }
}

/// All ids that begin with these digits.
fn range(digits: &str) -> Option<(Uuid, Uuid)> {
    if digits.is_empty() || digits.len() > DIGITS {
        return None;
    }
    let bound =
        |rest: &str| u128::from_str_radix(&format!("{digits}{}", rest.repeat(DIGITS - digits.len())), 16);
    Some((Uuid::from_u128(bound("0").ok()?), Uuid::from_u128(bound("f").ok()?)))
}
