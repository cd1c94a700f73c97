//! What a Trigger makes of an Event: the Event with the values that are stored in the record of its Run, and the input of its target.

use model::event::Event;
use model::trigger::TriggerContent;
use model::trigger::mapping::{self, Ask};
use serde_json::{Map, Value};

use super::expression::Evaluated;
use crate::app::runs::{self, Target};
use crate::ctx::Ctx;
use crate::error::Error;

/// The Event as its Trigger needs it. If the record of the Run is gone the values stay away, and a Trigger that needs them
/// starts nothing and says so.
pub(in crate::app) async fn completed(ctx: &Ctx, event: Event) -> Result<Event, Error> {
    let Some(run) = event.left_in() else { return Ok(event) };
    Ok(match ctx.store.run(run).await? {
        Some(run) => event.completed(&run),
        None => event,
    })
}

/// What the target gets because of an Event.
pub(in crate::app) async fn input(
    ctx: &Ctx,
    content: &TriggerContent,
    event: &Event,
) -> Result<Map<String, Value>, Error> {
    let parameters = runs::parameters(ctx, &Target::Live(content.target.clone())).await?;
    let asked = content.input.as_ref().map(mapping::asked).unwrap_or_default();
    let evaluated = Evaluated::of(&ctx.expressions, asked.iter().map(|one| one.ask), &event.view()).await;
    let mut evaluate = |ask: Ask<'_>| evaluated.get(ask);
    content.input_for(event, &parameters, &mut evaluate).map_err(|error| Error::Input {
        problem: error.to_string(),
        hint: "change how the trigger makes its input".to_owned(),
    })
}
