//! Calls the configured webhook for Events that people hear of: something waits, or keeps failing.

use std::time::Duration;

use hyper::body::Bytes;
use hyper::{Request, Uri, header};
use model::event::Event;

use crate::ctx::Ctx;
use crate::http_client::{HttpError, Limits};

const ATTEMPTS: u32 = 5;
/// Before the second attempt; twice as long before each further one.
const REST: Duration = Duration::from_secs(2);
const TIMEOUT: Duration = Duration::from_secs(10);
const ANSWER_BYTES: u64 = 1 << 16;

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
