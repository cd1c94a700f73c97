//! Whether a Trigger fires on an Event: the rule of the model, with its condition evaluated.

use model::event::Event;
use model::trigger::TriggerContent;
use model::trigger::decision::{Decision, History};
use sandbox::Expressions;

use super::expression::holds;

pub(in crate::app) async fn decided(
    expressions: &Expressions,
    content: &TriggerContent,
    event: &Event,
    history: History<'_>,
) -> Decision {
    // Asked first without an answer: evaluating takes time, and most Events do not match otherwise.
    let mut asked = None;
    let decision = content.fires(event, history, |condition| {
        asked = Some(condition.to_owned());
        Ok(false)
    });
    let Some(condition) = asked else { return decision };
    let holds = holds(expressions, &condition, &event.view()).await;
    content.fires(event, history, |_| holds)
}
