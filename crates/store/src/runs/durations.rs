//! How long recent Runs took.

use jiff::Timestamp;
use model::version::VersionNumber;

use crate::db::Row;
use crate::error::Error;
use crate::store::Store;

/// The newest so many Runs of a name are looked at, whether they succeeded or not.
const SAMPLE: u32 = 500;

/// A Run that succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunDuration {
    /// Absent if it is not recorded.
    pub version: Option<VersionNumber>,
    /// Without waiting, if that is recorded.
    pub duration_us: u64,
}

impl Store {
    /// Of the newest Runs of a Function or Graph those that succeeded, at most a few hundred, in any order.
    pub async fn run_durations(&self, name: &str) -> Result<Vec<RunDuration>, Error> {
        let sql = "select versions.number, newest.wall_us, newest.started_at, newest.finished_at
             from (select run_id, version_id, state, wall_us, started_at, finished_at from runs
                 where name = $1 order by run_id desc limit $2) as newest
             left join versions on versions.version_id = newest.version_id
             where newest.state = 'succeeded'";
        let rows = self.db.query(sql, [name.into(), SAMPLE.into()], duration_from_row).await?;
        Ok(rows.into_iter().flatten().collect())
    }
}

fn duration_from_row(row: &Row) -> Result<Option<RunDuration>, Error> {
    let between = |from: Timestamp, to: Timestamp| u64::try_from(to.duration_since(from).as_micros()).ok();
    let times = row.optional_timestamp(2)?.zip(row.optional_timestamp(3)?);
    let elapsed = times.and_then(|(from, to)| between(from, to));
    let version = row.optional_small(0)?.map(VersionNumber);
    let duration = row.optional_unsigned(1)?.or(elapsed);
    Ok(duration.map(|duration_us| RunDuration { version, duration_us }))
}
