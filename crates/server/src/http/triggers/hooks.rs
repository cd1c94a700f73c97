//! `/hooks`: a webhook becomes an Event, if its sender is allowed.

use axum::Json as Body;
use axum::body::{Body as RequestBody, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::hook_body;
use crate::app::triggers::signatures::Signature;
use crate::app::triggers::webhooks::{self, MOST_BYTES, Received, Webhook};
use crate::http::problem::{Problem, Refused};
use crate::http::request::caller::{Caller, Peer};
use crate::http::request::extract::{Path, in_time};
use crate::http::state::Door;

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(receive))
}

/// What tells one delivery from another, in the words of those who send.
const DELIVERY: [&str; 3] = ["webhook-id", "idempotency-key", "x-github-delivery"];

/// Sends to a webhook that a trigger listens to
///
/// The body may be JSON, a form or text; it becomes the data of the event `webhook.received`. The triggers that
/// listen to it decide who may send: anyone with a token that may run the target, anyone who signs with a secret, or anyone. A second
/// delivery with the same `webhook-id` within a week is the same event.
#[utoipa::path(post, path = "/hooks/{name}", tag = "triggers", security((), ("token" = [])),
    params(("name" = String, Path),
        ("webhook-id" = Option<String>, Header, description = "Identifies a delivery; also `Idempotency-Key` or `X-GitHub-Delivery`"),
        ("webhook-timestamp" = Option<String>, Header, description = "Seconds since 1970, signed"),
        ("webhook-signature" = Option<String>, Header, description = "`v1,` and the HMAC-SHA256 of `ID.TIMESTAMP.BODY` in base64"),
        ("x-hub-signature-256" = Option<String>, Header, description = "`sha256=` and the HMAC-SHA256 of the body in hexadecimal")),
    request_body(content((serde_json::Value = "application/json"), (String = "text/plain"), (serde_json::Value = "application/x-www-form-urlencoded"))),
    responses((status = 202, description = "It is an event", body = Received), Refused))]
async fn receive(
    State(door): State<Door>,
    Path(name): Path<String>,
    request: Request,
) -> Result<(StatusCode, Body<Received>), Problem> {
    let webhook = webhooks::find(door.ctx(), &name).await?;
    let (parts, body) = request.into_parts();
    let access = if webhook.takes_tokens() {
        Some(Caller::of(&parts, &door).await?.access().clone())
    } else {
        webhook.access()
    };
    let access = access.ok_or_else(Problem::internal)?;
    webhooks::admit(&access, &webhook)?;
    let peer = parts.extensions.get::<Peer>().map(|peer| peer.0);
    door.guesses().check(peer, door.ctx().clock.now())?;
    let (headers, body) = (parts.headers, read(&door, body).await?);
    if let Err(problem) = check(&door, &webhook, &headers, &body).await {
        door.guesses().wrong(peer, door.ctx().clock.now());
        return Err(problem);
    }
    let data = hook_body::data(&headers, &body)?;
    let delivery = DELIVERY.iter().find_map(|name| headers.get(*name)?.to_str().ok());
    let received = webhooks::receive(door.ctx(), &access, &name, data, delivery).await?;
    Ok((StatusCode::ACCEPTED, Body(received)))
}

/// No more than that is ever held.
async fn read(door: &Door, body: RequestBody) -> Result<Bytes, Problem> {
    let large = |_| Problem::of("too_large", format!("a webhook accepts at most {MOST_BYTES} bytes"));
    in_time(door, to_bytes(body, MOST_BYTES)).await?.map_err(large)
}

/// Every secret that is asked for has to have signed it.
async fn check(door: &Door, webhook: &Webhook, headers: &HeaderMap, body: &[u8]) -> Result<(), Problem> {
    for secret in webhook.secrets() {
        let refused = |why: &str| {
            Problem::of(
                "bad_signature",
                format!("the webhook `{}` requires a signature: {why}", webhook.name),
            )
        };
        let signature = signature(headers).ok_or_else(|| refused("this is not"))?;
        webhooks::check(door.ctx(), secret, signature, body).await?.map_err(refused)?;
    }
    Ok(())
}

fn signature(headers: &HeaderMap) -> Option<Signature<'_>> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    match (text("webhook-id"), text("webhook-timestamp"), text("webhook-signature")) {
        (Some(id), Some(timestamp), Some(signatures)) => {
            Some(Signature::Standard { id, timestamp, signatures })
        }
        _ => text("x-hub-signature-256").map(Signature::Hub),
    }
}
