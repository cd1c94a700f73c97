//! How often Schedules have failed in a row: counted with the fact that one did, so that nobody counts a failure twice or not at all.

use jiff::Timestamp;
use model::event::NewEvent;
use model::ids::EntryId;
use model::schedule::failing::Failures;

use crate::db::Batch;
use crate::error::Error;
use crate::events::push_events;
use crate::store::Store;

/// What becomes of the failures that a Schedule had in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureCount {
    Ends(EntryId),
    /// One more than there were.
    Grows {
        schedule: EntryId,
        from: Failures,
    },
}

/// What is no longer so if somebody else counted meanwhile.
const UNCOUNTED: &str = "nobody counted another failure";

impl Store {
    pub async fn schedule_failures(&self, schedule: EntryId) -> Result<Failures, Error> {
        let sql = "select failures from schedule_failures where entry_id = $1";
        let found = self.db.optional(sql, [schedule.0.into()], |row| row.small(0)).await?;
        Ok(Failures(found.unwrap_or_default()))
    }

    /// Records a tick that failed to start anything. False if that tick was handled, or another failure counted; then nothing
    /// was written.
    pub async fn failed_tick(
        &self,
        schedule: EntryId,
        at: Timestamp,
        why: &str,
        from: Failures,
        events: &[NewEvent],
    ) -> Result<bool, Error> {
        let mut batch = Batch::new();
        super::ticks::push_tick(&mut batch, schedule, at, None, Some(why));
        push_failure_count(&mut batch, FailureCount::Grows { schedule, from });
        push_events(&mut batch, events);
        self.write_guarded(batch).await
    }
}

impl Error {
    /// Whether a batch was refused because another failure of the Schedule was counted.
    pub fn is_counted_meanwhile(&self) -> bool {
        matches!(self, Error::GuardFailed { guard } if *guard == UNCOUNTED)
    }
}

pub(crate) fn push_failure_count(batch: &mut Batch, count: FailureCount) {
    match count {
        FailureCount::Ends(schedule) => {
            batch.push("delete from schedule_failures where entry_id = $1", [schedule.0.into()]);
        }
        FailureCount::Grows { schedule, from } => batch.guard(
            "insert into schedule_failures (entry_id, failures) values ($1, $2)
             on conflict (entry_id) do update set failures = excluded.failures
                where schedule_failures.failures = $3",
            [schedule.0.into(), from.and_another().0.into(), from.0.into()],
            UNCOUNTED,
        ),
    }
}
