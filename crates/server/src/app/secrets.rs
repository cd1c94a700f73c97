//! Secrets: sealed on the way in, opened only for the engine. No verb gives a value back to a person.

use model::actor::Actor;
use model::event::{EventKind, NewEvent};
use model::secret::{Secret, check_secret};
use secrecy::{ExposeSecret, SecretBox};
use serde_json::json;
use store::SealedSecret;

use super::error::Error;
use crate::ctx::Ctx;
use crate::seal::{SealError, SealingKey};

/// The name under which a known text is sealed, so that a wrong key is noticed before anything is sealed with it.
const KEY_CHECK: &str = "secrets_key_check";

/// Adds a Secret, or gives it a new value.
pub async fn set(ctx: &Ctx, actor: &Actor, name: &str, value: &SecretBox<Vec<u8>>) -> Result<(), Error> {
    check_secret(name, value.expose_secret())?;
    let key = key(ctx).await?;
    let now = ctx.clock.now();
    let secret = Secret {
        secret_id: ctx.ids.secret(),
        name: name.to_owned(),
        created_at: now,
        updated_at: now,
        updated_by: actor.clone(),
    };
    let sealed = key.seal(name, value.expose_secret(), &ctx.ids)?;
    let event = changed(ctx, actor, name, "set");
    Ok(ctx
        .store
        .put_secret(
            &SealedSecret { secret, sealed },
            &event,
            &ctx.audit(actor, "secret.set", name, json!({})),
        )
        .await?)
}

pub async fn list(ctx: &Ctx) -> Result<Vec<Secret>, Error> {
    Ok(ctx.store.secrets().await?)
}

pub async fn remove(ctx: &Ctx, actor: &Actor, name: &str) -> Result<(), Error> {
    let event = changed(ctx, actor, name, "removed");
    if ctx.store.remove_secret(name, &event, &ctx.audit(actor, "secret.remove", name, json!({}))).await? {
        Ok(())
    } else {
        Err(Error::Absent { noun: "secret", name: name.to_owned() })
    }
}

/// The value, for whoever runs functions that were granted it.
pub async fn open(ctx: &Ctx, name: &str) -> Result<SecretBox<Vec<u8>>, Error> {
    let absent = || Error::Absent { noun: "secret", name: name.to_owned() };
    let stored = ctx.store.sealed_secret(name).await?.ok_or_else(absent)?;
    let key = key(ctx).await?;
    Ok(key.open(name, &stored.sealed)?)
}

/// Whether secrets can be sealed and opened: for those who have other things to do first.
pub(super) async fn check_key(ctx: &Ctx) -> Result<(), Error> {
    key(ctx).await.map(drop)
}

/// The key of this brain. One that does not belong to it is refused; a lost one is not silently replaced.
async fn key(ctx: &Ctx) -> Result<SealingKey, Error> {
    let check = ctx.store.fact(KEY_CHECK).await?;
    let key = match check {
        Some(_) => ctx.keys.existing()?.ok_or_else(|| ctx.keys.missing())?,
        None => ctx.keys.existing_or_new(&ctx.ids)?,
    };
    let check = match check {
        Some(check) => check,
        None => {
            let fresh = hex::encode(key.seal(KEY_CHECK, KEY_CHECK.as_bytes(), &ctx.ids)?);
            ctx.store.fact_or(KEY_CHECK, &fresh).await?
        }
    };
    let sealed = hex::decode(check).map_err(|_| SealError::WrongKey)?;
    key.open(KEY_CHECK, &sealed)?;
    Ok(key)
}

fn changed(ctx: &Ctx, actor: &Actor, name: &str, what: &str) -> NewEvent {
    NewEvent {
        kind: EventKind::SecretChanged,
        source: name.to_owned(),
        data: json!({ "name": name, "change": what }),
        actor: actor.clone(),
        at: ctx.clock.now(),
    }
}
