//! Counts the failures in a row of the Schedule that started a Run: the end of the Run adds one or resets the count.

use jiff::Timestamp;
use model::access::actor::Actor;
use model::event::NewEvent;
use model::ids::EntryId;
use model::run::{Run, RunError};
use model::schedule::failing::{Failures, LastFailure, ScheduleResult};
use store::FailureCount;

use crate::ctx::Ctx;
use crate::error::Error;

/// How the failure is counted, and the Event that reports it.
pub(super) async fn counted(
    ctx: &Ctx,
    run: &Run,
    error: Option<&RunError>,
    at: Timestamp,
) -> Result<(Option<FailureCount>, Option<NewEvent>), Error> {
    let Actor::Schedule(schedule) = run.actor else { return Ok((None, None)) };
    match ScheduleResult::of(run.state) {
        ScheduleResult::Nothing => Ok((None, None)),
        ScheduleResult::Works => Ok((Some(FailureCount::Ends(schedule)), None)),
        ScheduleResult::Fails => {
            let from = ctx.store.schedule_failures(schedule).await?;
            let last = LastFailure {
                target: &run.key.name,
                run: Some(run.run_id),
                error: error.cloned().unwrap_or_else(unknown),
            };
            let event = failing_event(ctx, schedule, from.and_another(), last, at).await?;
            Ok((Some(FailureCount::Grows { schedule, from }), event))
        }
    }
}

fn unknown() -> RunError {
    RunError { type_name: "Failed".to_owned(), message: String::new(), traceback: None, hint: None }
}

/// The Event that reports a failure, if this is the one that is reported.
async fn failing_event(
    ctx: &Ctx,
    schedule: EntryId,
    failures: Failures,
    last: LastFailure<'_>,
    at: Timestamp,
) -> Result<Option<NewEvent>, Error> {
    if !failures.is_reported() {
        return Ok(None);
    }
    let key = ctx.store.entry_keys(&[schedule]).await?.remove(&schedule);
    Ok(key.map(|key| last.event(schedule, &key.name, failures, at)))
}
