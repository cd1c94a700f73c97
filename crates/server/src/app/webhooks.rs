//! Webhooks: what somebody outside sends becomes an Event, by the name under which a Trigger waits for it.

use model::actor::Actor;
use model::event::{EventKind, NewEvent};
use model::trigger::on::On;
use serde_json::Value;

use super::error::Error;
use crate::ctx::Ctx;

/// What is longer belongs into a file.
const MOST_BYTES: usize = 1_000_000;

/// Appends the Event `webhook.received`. A name that no enabled Trigger waits for is refused, so that nobody can fill the
/// log from outside.
pub async fn receive(ctx: &Ctx, actor: &Actor, name: &str, data: Value) -> Result<(), Error> {
    if !is_waited_for(ctx, name).await? {
        return Err(Error::Absent { noun: "webhook", name: name.chars().take(100).collect() });
    }
    let bytes = data.to_string().len();
    if bytes > MOST_BYTES {
        return Err(Error::Input {
            problem: format!("what was sent has {bytes} bytes, and {MOST_BYTES} are the most allowed"),
            hint: "send less, or a link to it".to_owned(),
        });
    }
    let data = ctx.redaction().await?.json(data);
    let source = name.to_owned();
    let at = ctx.clock.now();
    let event = NewEvent { kind: EventKind::WebhookReceived, source, data, actor: actor.clone(), at };
    ctx.store.append_events(&[event]).await?;
    ctx.engine.ring_events();
    Ok(())
}

/// A Trigger that waits for everything opens no door.
async fn is_waited_for(ctx: &Ctx, name: &str) -> Result<bool, Error> {
    let all = ctx.triggers.all(ctx).await?;
    let waits = all.iter().any(|live| {
        let content = &live.content;
        content.enabled
            && content.on == On::Kind(EventKind::WebhookReceived)
            && content.source.as_deref().is_some_and(|source| model::glob::matches(source, name))
    });
    Ok(waits)
}
