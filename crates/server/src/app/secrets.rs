//! Secrets: encrypted when they are set, decrypted only for the engine. No verb returns a value to a person.

use std::collections::BTreeSet;

use model::access::Access;
use model::access::secret::{Secret, check_secret, sealed_hosts};
use model::access::verb::Verb;
use model::event::{EventKind, NewEvent};
use secrecy::{ExposeSecret, SecretBox};
use serde_json::json;
use store::SecretChange;

use crate::ctx::Ctx;
use crate::error::Error;
use crate::secrets::opening::key;

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

/// Whether secrets can be sealed and opened: for those who have other things to do first.
pub(super) async fn check_key(ctx: &Ctx) -> Result<(), Error> {
    key(ctx).await.map(drop)
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
