//! Webhooks: a request from outside becomes an Event, by the name that a Trigger listens to.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::SignedDuration;
use model::access::actor::Actor;
use model::access::verb::Verb;
use model::access::{Access, Authority};
use model::event::{EventKind, NewEvent};
use model::trigger::TriggerContent;
use model::trigger::on::On;
use model::trigger::senders::Senders;
use secrecy::ExposeSecret;
use serde::Serialize;
use serde_json::Value;

use super::signatures::{self, Signature};
use crate::ctx::Ctx;
use crate::error::Error;
use crate::live::LiveTrigger;
use crate::secrets::opening;

/// What is longer belongs into a file.
pub const MOST_BYTES: usize = 1_000_000;
/// Whoever sends something again does so within days; after that it is something new.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(7 * 24);
const LONGEST_DELIVERY: usize = 200;

/// A name for which enabled Triggers wait.
#[derive(Clone, Debug)]
pub struct Webhook {
    pub name: String,
    waiting: Vec<LiveTrigger>,
}

/// What was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Received {
    /// The sequence number of the event.
    pub seq: u64,
    /// It was delivered before, and nothing happened now.
    pub again: bool,
}

impl Webhook {
    /// Who it is that sends, where nobody is known better: the Trigger that opened the door.
    pub fn access(&self) -> Option<Access> {
        let live = self.waiting.first()?;
        Some(Access { actor: Actor::Trigger(live.entry), authority: Arc::clone(&live.authority) })
    }

    /// Whoever applied the Triggers that wait for it.
    fn authorities(&self) -> Vec<&Authority> {
        self.waiting.iter().map(|live| &*live.authority).collect()
    }

    /// Whether a Trigger asks for a Token, which has to be allowed to run what it starts.
    pub fn takes_tokens(&self) -> bool {
        self.waiting.iter().any(|live| live.content.senders.is_none())
    }

    fn targets_for_tokens(&self) -> impl Iterator<Item = &str> {
        let asking = self.waiting.iter().filter(|live| live.content.senders.is_none());
        asking.map(|live| live.content.target.as_str())
    }

    /// What it has to be signed with. Where several Triggers wait, all have to be content: one that lets everybody in must
    /// not open the door to another that does not.
    pub fn secrets<'a>(&'a self) -> BTreeSet<&'a str> {
        let secret = |live: &'a LiveTrigger| match &live.content.senders {
            Some(Senders::Secret(name)) => Some(name.as_str()),
            _ => None,
        };
        self.waiting.iter().filter_map(secret).collect()
    }
}

/// A name that no enabled Trigger waits for is not there, so that nobody can fill the log from outside.
pub async fn find(ctx: &Ctx, name: &str) -> Result<Webhook, Error> {
    let all = ctx.triggers.all(ctx).await?;
    let waiting: Vec<LiveTrigger> = all.iter().filter(|live| waits_for(live, name)).cloned().collect();
    if waiting.is_empty() {
        return Err(absent(name));
    }
    Ok(Webhook { name: name.to_owned(), waiting })
}

/// A Trigger without a source opens no webhook, and nobody's Trigger speaks for webhooks outside of the names they may touch.
fn waits_for(live: &LiveTrigger, name: &str) -> bool {
    let content = &live.content;
    content.enabled
        && live.authority.covers(name)
        && content.on == On::Kind(EventKind::WebhookReceived)
        && content.source.as_deref().is_some_and(|source| model::access::glob::matches(source, name))
}

/// The path at which a Trigger's webhook is, if it waits for a single one.
pub fn path(content: &TriggerContent) -> Option<String> {
    let name = content.watched().filter(|_| content.on == On::Kind(EventKind::WebhookReceived))?;
    Some(format!("/api/v1/hooks/{name}"))
}

/// Whether it was signed with a Secret; if not, in words.
pub async fn check(
    ctx: &Ctx,
    secret: &str,
    signature: Signature<'_>,
    body: &[u8],
) -> Result<Result<(), &'static str>, Error> {
    let secret = match opening::open(ctx, secret).await {
        Ok(secret) => secret,
        Err(Error::Absent { .. }) => {
            tracing::warn!("a trigger requires a signature with the secret `{secret}`, which does not exist");
            // Told as any wrong signature: which secrets there are is nobody's business.
            return Ok(Err(signatures::WRONG));
        }
        Err(error) => return Err(error),
    };
    Ok(signatures::check(secret.expose_secret(), signature, body, ctx.clock.now()))
}

fn absent(name: &str) -> Error {
    Error::Absent { noun: "webhook", name: name.chars().take(100).collect() }
}

/// Whether a sender may start what waits for the webhook.
pub fn admit(access: &Access, webhook: &Webhook) -> Result<(), Error> {
    access.may(Verb::EmitEvent)?;
    access.may(Verb::StartRun)?;
    match webhook.targets_for_tokens().all(|target| access.covers(target)) {
        true => Ok(()),
        // As if nothing waited for it: what it starts is outside.
        false => Err(absent(&webhook.name)),
    }
}

/// Appends the Event `webhook.received`, unless the same delivery was received before. Who may send was checked.
pub async fn receive(
    ctx: &Ctx,
    access: &Access,
    name: &str,
    data: Value,
    delivery: Option<&str>,
) -> Result<Received, Error> {
    let webhook = find(ctx, name).await?;
    admit(access, &webhook)?;
    let bytes = data.to_string().len();
    if bytes > MOST_BYTES {
        return Err(Error::Input {
            problem: format!("the body has {bytes} bytes; the maximum is {MOST_BYTES}"),
            hint: "send less, or a link to it".to_owned(),
        });
    }
    let delivery = match delivery {
        Some(delivery) => delivery.chars().take(LONGEST_DELIVERY).collect(),
        None => ctx.ids.uuid().to_string(),
    };
    let data = ctx.redaction_for(&webhook.authorities()).await?.json(data);
    let (source, at) = (name.to_owned(), ctx.clock.now());
    let event = NewEvent { kind: EventKind::WebhookReceived, source, data, actor: access.actor.clone(), at };
    let delivered = ctx.store.deliver(&event, &delivery, at - REMEMBERED).await?;
    Ok(Received { seq: delivered.seq, again: delivered.again })
}
