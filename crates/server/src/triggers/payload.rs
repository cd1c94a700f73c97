//! Events with the values that they left in the records of their Runs.

use model::event::Event;

use crate::app::error::Error;
use crate::ctx::Ctx;

/// The Event as its Trigger needs it. If the record of the Run is gone the values stay away, and a Trigger that needs them
/// starts nothing and says so.
pub(crate) async fn completed(ctx: &Ctx, event: Event) -> Result<Event, Error> {
    let Some(run) = event.left_in() else { return Ok(event) };
    Ok(match ctx.store.run(run).await? {
        Some(run) => event.completed(&run),
        None => event,
    })
}
