//! Events with the values that are stored in the records of their Runs.

use model::event::Event;

use crate::ctx::Ctx;
use crate::error::Error;

/// The Event as its Trigger needs it. If the record of the Run is gone the values stay away, and a Trigger that needs them
/// starts nothing and says so.
pub(crate) async fn completed(ctx: &Ctx, event: Event) -> Result<Event, Error> {
    let Some(run) = event.left_in() else { return Ok(event) };
    Ok(match ctx.store.run(run).await? {
        Some(run) => event.completed(&run),
        None => event,
    })
}
