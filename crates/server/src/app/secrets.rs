//! Secrets: sealed on the way in, opened only for the engine. No verb gives a value back to a person.

use std::collections::BTreeSet;

use model::access::Access;
use model::event::{EventKind, NewEvent};
use model::secret::{Secret, check_secret, sealed_hosts};
use model::verb::Verb;
use secrecy::{ExposeSecret, SecretBox};
use serde_json::json;
use store::SecretChange;

use super::error::Error;
use crate::ctx::Ctx;
use crate::seal::{SealError, SealingKey};

/// The name under which a known text is sealed, so that a wrong key is noticed before anything is sealed with it.
const KEY_CHECK: &str = "secrets_key_check";

/// Adds a Secret, or gives it a new value. One that is sealed for hosts stays so.
pub async fn set(ctx: &Ctx, access: &Access, name: &str, value: &SecretBox<Vec<u8>>) -> Result<(), Error> {
    access.may_touch_all(Verb::ManageSecrets)?;
    check_secret(name, value.expose_secret())?;
    // What is sealed for hosts must stay fit for it.
    let hosts = ctx.store.sealed_secret(name).await?.map(|stored| stored.secret.hosts).unwrap_or_default();
    sealed_hosts(name, value.expose_secret(), &Vec::from_iter(hosts))?;
    put(ctx, access, name, value, None).await
}

/// The same, and says for which hosts it is sealed from now on; for none, cells get the value.
pub async fn set_for(
    ctx: &Ctx,
    access: &Access,
    name: &str,
    value: &SecretBox<Vec<u8>>,
    hosts: &[String],
) -> Result<(), Error> {
    access.may_touch_all(Verb::ManageSecrets)?;
    check_secret(name, value.expose_secret())?;
    let hosts = sealed_hosts(name, value.expose_secret(), hosts)?;
    put(ctx, access, name, value, Some(hosts)).await
}

async fn put(
    ctx: &Ctx,
    access: &Access,
    name: &str,
    value: &SecretBox<Vec<u8>>,
    hosts: Option<BTreeSet<String>>,
) -> Result<(), Error> {
    let key = key(ctx).await?;
    let audit = ctx.audit(&access.actor, "secret.set", name, json!({ "hosts": hosts }));
    let change = SecretChange {
        secret_id: ctx.ids.secret(),
        name: name.to_owned(),
        sealed: key.seal(name, value.expose_secret(), &ctx.ids)?,
        hosts,
        at: ctx.clock.now(),
        by: access.actor.clone(),
    };
    Ok(ctx.store.put_secret(&change, &changed(ctx, access, name, "set"), &audit).await?)
}

pub async fn list(ctx: &Ctx, access: &Access) -> Result<Vec<Secret>, Error> {
    access.may_touch_all(Verb::ManageSecrets)?;
    Ok(ctx.store.secrets().await?)
}

pub async fn remove(ctx: &Ctx, access: &Access, name: &str) -> Result<(), Error> {
    access.may_touch_all(Verb::ManageSecrets)?;
    let event = changed(ctx, access, name, "removed");
    if ctx
        .store
        .remove_secret(name, &event, &ctx.audit(&access.actor, "secret.remove", name, json!({})))
        .await?
    {
        Ok(())
    } else {
        Err(Error::Absent { noun: "secret", name: name.to_owned() })
    }
}

/// The value, for whoever runs functions that were granted it.
pub async fn open(ctx: &Ctx, name: &str) -> Result<SecretBox<Vec<u8>>, Error> {
    open_known(ctx, name).await.map(|(_, value)| value)
}

/// The value, with what is known of it.
pub(crate) async fn open_known(ctx: &Ctx, name: &str) -> Result<(Secret, SecretBox<Vec<u8>>), Error> {
    let absent = || Error::Absent { noun: "secret", name: name.to_owned() };
    let stored = ctx.store.sealed_secret(name).await?.ok_or_else(absent)?;
    let value = key(ctx).await?.open(name, &stored.sealed)?;
    Ok((stored.secret, value))
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

fn changed(ctx: &Ctx, access: &Access, name: &str, what: &str) -> NewEvent {
    NewEvent {
        kind: EventKind::SecretChanged,
        source: name.to_owned(),
        data: json!({ "name": name, "change": what }),
        actor: access.actor.clone(),
        at: ctx.clock.now(),
    }
}
