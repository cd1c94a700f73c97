//! `storage`: values that outlive Runs. Those of a scope that everybody shares are reached by whoever's patterns match the key, as
//! everything else is.

use model::access::scope::Scope;
use model::run::host_verb::HostVerb;
use model::run::step::Step;
use model::storage::{StorageError, StorageOwner, StorageScope, check_key, check_value};
use sandbox::Arguments;
use serde_json::{Value as Json, json};
use store::StorageChange;

use super::{Host, Refusal, Reply, StepReply, VerbArguments, finish, finished};
use crate::error::Error;

/// The keys in one answer, unless more are asked for, and at most.
const LISTED: f64 = 200.0;
const MAX_LISTED: f64 = 1_000.0;

pub(super) async fn read(host: &Host<'_>, verb: HostVerb, mut given: VerbArguments) -> Reply {
    let owner = owner(host, &mut given).await?;
    if verb == HostVerb::StorageList {
        let limit = given.number("limit").unwrap_or(LISTED).clamp(1.0, MAX_LISTED) as u32;
        let after = given.text("after");
        let keys = host.ctx.store.stored_keys(&owner, after.as_deref(), limit, scope(host, &owner)).await;
        return Ok(json!(keys.map_err(unreadable)?));
    }
    let key = key(host, &owner, &mut given)?;
    let value = host.ctx.store.stored_value(&owner, &key).await.map_err(unreadable)?;
    Ok(value.or_else(|| given.value("default")).unwrap_or(Json::Null))
}

pub(super) async fn change(
    host: &Host<'_>,
    step: Step,
    verb: HostVerb,
    arguments: Arguments,
) -> Result<StepReply, Error> {
    let change = match Change::asked(host, verb, arguments).await {
        Ok(change) => change,
        Err(refusal) => return finish(host, step, Err(refusal)).await,
    };
    let reply = change.reply.clone();
    let done = finished(host, step.clone(), Ok(reply));
    let (lease, at) = (host.lease()?, host.ctx.clock.now());
    let stored = match &change.value {
        Some(value) => StorageChange::Set { value, at },
        None => StorageChange::Remove,
    };
    let written = host
        .journal(&done, || {
            host.ctx.store.record_step_storing(&done, lease, &change.owner, &change.key, stored)
        })
        .await;
    match written {
        Ok(()) => Ok(StepReply::Finished(Box::new(done))),
        Err(Error::Store(error)) if error.is_storage_full() => {
            finish(host, step, Err(refused(&StorageError::Full { owner: change.owner }))).await
        }
        Err(error) => Err(error),
    }
}

/// What is to be changed, and what the function gets for it.
struct Change {
    owner: StorageOwner,
    key: String,
    /// Absent if the key is removed.
    value: Option<Json>,
    reply: Json,
}

impl Change {
    async fn asked(host: &Host<'_>, verb: HostVerb, arguments: Arguments) -> Result<Change, Refusal> {
        let mut given = VerbArguments::new(verb, arguments)?;
        let owner = owner(host, &mut given).await?;
        let key = key(host, &owner, &mut given)?;
        if verb == HostVerb::StorageRemove {
            let found = host.ctx.store.stored_value(&owner, &key).await.map_err(unreadable)?;
            return Ok(Change { owner, key, value: None, reply: json!(found.is_some()) });
        }
        let value = given.value("value").unwrap_or(Json::Null);
        check_value(&value).map_err(|error| refused(&error))?;
        // Redacted, it would be another value than the one that the function believes to have stored.
        if host.redaction.json(value.clone()) != value {
            let text = "`value` of `storage.set` contains the value of a secret, and it would be stored";
            return Err(Refusal::Refused(text.to_owned()));
        }
        Ok(Change { owner, key, value: Some(value), reply: Json::Null })
    }
}

async fn owner(host: &Host<'_>, given: &mut VerbArguments) -> Result<StorageOwner, Refusal> {
    let scope = given.text("scope").map_or(Ok(StorageScope::Function), |text| text.parse());
    match scope.map_err(|error| refused(&error))? {
        StorageScope::Function => Ok(StorageOwner::Function(host.run.key.name.clone())),
        StorageScope::Brain => Ok(StorageOwner::Brain),
        StorageScope::Graph => {
            let graph = host.ctx.store.calling_graph(host.run.run_id).await.map_err(unreadable)?;
            graph.map(StorageOwner::Graph).ok_or_else(|| refused(&StorageError::NoGraph))
        }
    }
}

/// Which keys of an owner the starter of the Run may use. What belongs to a function or graph is reached through it.
fn scope<'a>(host: &'a Host<'_>, owner: &StorageOwner) -> &'a Scope {
    match owner {
        StorageOwner::Brain => &host.run.authority.only,
        StorageOwner::Function(_) | StorageOwner::Graph(_) => &Scope::All,
    }
}

fn key(host: &Host<'_>, owner: &StorageOwner, given: &mut VerbArguments) -> Result<String, Refusal> {
    let key = given.open_text("key", host)?;
    check_key(&key).map_err(|error| refused(&error))?;
    if scope(host, owner).covers(&key) { Ok(key) } else { Err(refused(&StorageError::Denied)) }
}

fn refused(error: &StorageError) -> Refusal {
    Refusal::Refused(error.to_string())
}

fn unreadable(error: store::Error) -> Refusal {
    Refusal::of(&Error::from(error))
}
