//! Events for people: something waits for an answer or an approval, or keeps failing. The Run of the configured function is queued in the
//! batch that moves the cursor, so each Event starts one.

use std::sync::Arc;

use model::access::actor::Actor;
use model::access::{Access, Authority};
use model::event::Event;
use model::ids::EntryId;
use model::name::EntryName;
use model::run::Run;
use store::Firings;
use uuid::Uuid;

use super::firing;
use crate::app::runs::{self, StartRun, Target};
use crate::ctx::Ctx;
use crate::error::Error;

/// Chains of Runs name what continued them. No entry has this id.
const NOTIFY: EntryId = EntryId(Uuid::nil());

/// Adds what is started for an Event.
pub(super) async fn add(ctx: &Ctx, event: &Event, firings: &mut Firings) -> Result<(), Error> {
    if !event.fact.kind.is_for_people() {
        return Ok(());
    }
    firings.is_reported |= ctx.notify.webhook.is_some();
    let Some(function) = &ctx.notify.function else { return Ok(()) };
    // What tells of a question must not ask for an answer to it.
    if event.fact.source == function.as_str() {
        return Ok(());
    }
    match run(ctx, function, event, firings).await {
        Ok(run) => firings.runs.push(run),
        Err(error @ Error::Store(_)) => return Err(error),
        Err(error) => {
            tracing::warn!(event.seq, "`notify_function` was not started for event {}: {error}", event.seq);
        }
    }
    Ok(())
}

async fn run(ctx: &Ctx, function: &EntryName, event: &Event, firings: &Firings) -> Result<Run, Error> {
    let chain = firing::chain(ctx, NOTIFY, event, firings).await?.map_err(|end| Error::Input {
        problem: end,
        hint: "let it start nothing that asks a person or proposes changes".to_owned(),
    })?;
    let target = Target::Live(function.clone());
    let input = event.notice_input(&runs::parameters(ctx, &target).await?);
    let request = StartRun { chain, event_seq: Some(event.seq), ..StartRun::of(target, input) };
    runs::recorded(ctx, &access(ctx, function).await?, request).await
}

/// That of whoever made the function live as it is: the configuration names it, and says nothing of what it may do.
async fn access(ctx: &Ctx, function: &EntryName) -> Result<Access, Error> {
    let live = ctx.store.live_callables(std::slice::from_ref(function)).await?.pop();
    let entry = live.map(|version| version.head.entry_id);
    let applier = ctx.store.appliers(&Vec::from_iter(entry)).await?.into_values().next();
    let authority = applier.unwrap_or_else(|| Authority::unknown(Actor::CommandLine));
    Ok(Access { actor: Actor::CommandLine, authority: Arc::new(authority) })
}
