//! Tells people that something waits or keeps failing: runs the configured function and calls the configured webhook. The Run is queued in the
//! batch that moves the cursor, so each Event starts one; the webhook is called once that batch is stored.

use std::time::Duration;

use hyper::body::Bytes;
use hyper::{Request, Uri, header};
use model::access::Access;
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
use crate::http_client::{HttpError, Limits};

/// Chains of Runs name what continued them. No entry has this id.
const NOTIFY: EntryId = EntryId(Uuid::nil());
const ATTEMPTS: u32 = 5;
/// Before the second attempt; twice as long before each further one.
const REST: Duration = Duration::from_secs(2);
const TIMEOUT: Duration = Duration::from_secs(10);
const ANSWER_BYTES: u64 = 1 << 16;

/// Adds what is started for an Event.
pub(super) async fn add(ctx: &Ctx, event: &Event, firings: &mut Firings) -> Result<(), Error> {
    if !event.fact.kind.is_for_people() {
        return Ok(());
    }
    firings.is_told |= ctx.notify.webhook.is_some();
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
    // Whoever configures the server may do everything.
    runs::recorded(ctx, &Access::of_command_line(), request).await
}

/// Calls the webhook for the Events of a batch that is stored.
pub(super) fn call(ctx: &Ctx, events: &[Event]) {
    let Some(url) = &ctx.notify.webhook else { return };
    for event in events.iter().filter(|event| event.fact.kind.is_for_people()) {
        let (ctx, url, seq) = (ctx.clone(), url.clone(), event.seq);
        let body = Bytes::from(event.notice_body().to_string());
        tokio::spawn(async move {
            if let Err(error) = post_again(&ctx, &url, seq, body).await {
                tracing::warn!(event.seq = seq, "`notify_webhook` did not accept event {seq}: {error}");
            }
        });
    }
}

async fn post_again(ctx: &Ctx, url: &Uri, seq: u64, body: Bytes) -> Result<(), String> {
    let mut rest = REST;
    for _ in 1..ATTEMPTS {
        if post(ctx, url, seq, body.clone()).await.is_ok() {
            return Ok(());
        }
        ctx.clock.wait_until(ctx.clock.now() + rest).await;
        rest *= 2;
    }
    post(ctx, url, seq, body).await
}

/// The number of the Event identifies the delivery, as in Standard Webhooks.
async fn post(ctx: &Ctx, url: &Uri, seq: u64, body: Bytes) -> Result<(), String> {
    let request = Request::post(url)
        .header(header::CONTENT_TYPE, "application/json")
        .header("webhook-id", seq.to_string())
        .body(body.into())
        .map_err(|_| HttpError::InvalidUrl.to_string())?;
    let answer = ctx.http_client.fetch(request, Limits::whole(TIMEOUT, ANSWER_BYTES)).await;
    match answer.map_err(|error| error.in_full())?.status {
        status if status.is_success() => Ok(()),
        status => Err(format!("it answered {status}")),
    }
}
