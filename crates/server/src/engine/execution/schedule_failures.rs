//! What the end of a Run means for the Schedule that started it: one failure more in a row, or none any longer.

use jiff::Timestamp;
use model::access::actor::Actor;
use model::event::NewEvent;
use model::ids::EntryId;
use model::run::{Run, RunError};
use model::schedule::failing::{Failures, LastFailure, Says};
use store::FailureCount;

use crate::ctx::Ctx;
use crate::error::Error;

/// How the failure is counted, and what people hear of it.
pub(super) async fn counted(
    ctx: &Ctx,
    run: &Run,
    error: Option<&RunError>,
    at: Timestamp,
) -> Result<(Option<FailureCount>, Option<NewEvent>), Error> {
    let Actor::Schedule(schedule) = run.actor else { return Ok((None, None)) };
    match Says::of(run.state) {
        Says::Nothing => Ok((None, None)),
        Says::Works => Ok((Some(FailureCount::Ends(schedule)), None)),
        Says::Fails => {
            let from = ctx.store.schedule_failures(schedule).await?;
            let last = LastFailure {
                target: &run.key.name,
                run: Some(run.run_id),
                error: error.cloned().unwrap_or_else(unknown),
            };
            let event = told(ctx, schedule, from.and_another(), last, at).await?;
            Ok((Some(FailureCount::Grows { schedule, from }), event))
        }
    }
}

fn unknown() -> RunError {
    RunError { type_name: "Failed".to_owned(), message: String::new(), traceback: None, hint: None }
}

/// What people hear of a failure, if this is the one that they hear of.
async fn told(
    ctx: &Ctx,
    schedule: EntryId,
    failures: Failures,
    last: LastFailure<'_>,
    at: Timestamp,
) -> Result<Option<NewEvent>, Error> {
    if !failures.is_told() {
        return Ok(None);
    }
    let key = ctx.store.entry_keys(&[schedule]).await?.remove(&schedule);
    Ok(key.map(|key| last.event(schedule, &key.name, failures, at)))
}
