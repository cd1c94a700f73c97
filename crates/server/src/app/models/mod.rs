//! Language models: which there are, how each is reached, and what each takes. Keys are read when a model is asked, and never shown.

mod asking;

use std::collections::BTreeSet;
use std::time::Instant;

use model::access::Access;
use model::access::verb::Verb;
use model::event::{EventKind, NewEvent};
use model::llm::{KeySource, Llm, LlmName, Price, Profile, Protocol, Role, Usage, stored};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::ctx::Ctx;
use crate::error::Error;
use crate::llm::{self, FoundServer};

pub(crate) use self::asking::{Asked, OpenModel, Sent, open, open_for};

/// A model, and where it is from.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct ModelView {
    #[serde(flatten)]
    pub model: Llm,
    /// It is not stored: `[model]` of the configuration says it, while no model is stored.
    pub configured: bool,
}

/// What is stated of a model that is added.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewModel {
    /// Where its API begins, such as `http://127.0.0.1:11434/v1`.
    pub base_url: String,
    /// What its server calls it.
    pub model_id: String,
    /// Told by the URL if absent.
    #[serde(default)]
    pub protocol: Option<Protocol>,
    /// Needs no key if absent.
    #[serde(default)]
    pub key: Option<KeySource>,
    /// Taken from whichever model has them.
    #[serde(default)]
    pub roles: BTreeSet<Role>,
    #[serde(default)]
    pub price: Price,
    /// What it takes. If absent, what is known of the same model, or what is usual for its protocol.
    #[serde(default)]
    pub profile: Option<Profile>,
}

/// What a test of a model showed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct TestedModel {
    pub model: ModelView,
    /// What it answered at last.
    pub said: String,
    /// Tokens of all the questions.
    pub usage: Usage,
    /// In micro-dollars.
    pub cost: u64,
    pub duration_ms: u64,
    /// What is unusual about it.
    pub notes: Vec<String>,
}

/// By name.
pub async fn list(ctx: &Ctx, access: &Access) -> Result<Vec<ModelView>, Error> {
    access.may_touch_all(Verb::ReadModels)?;
    known(ctx).await
}

pub async fn get(ctx: &Ctx, access: &Access, name: &LlmName) -> Result<ModelView, Error> {
    access.may_touch_all(Verb::ReadModels)?;
    one(ctx, name).await
}

/// Adds a model, or replaces the one of that name. Nothing is asked of it.
pub async fn put(ctx: &Ctx, access: &Access, name: &LlmName, new: NewModel) -> Result<ModelView, Error> {
    access.may_touch_all(Verb::ManageModels)?;
    let key = new.key.unwrap_or(KeySource::None);
    stored::check(&new.base_url, &new.model_id, &key).map_err(|error| Error::Input {
        problem: error.to_string(),
        hint: "nothing was changed".to_owned(),
    })?;
    let protocol = new.protocol.unwrap_or_else(|| Protocol::likely(&new.base_url));
    let before = ctx.store.model(name).await?.filter(|model| {
        model.protocol == protocol && model.base_url == new.base_url && model.model_id == new.model_id
    });
    let (profile, probed_at) = match (new.profile, before) {
        (Some(profile), _) => (profile, None),
        (None, Some(before)) => (before.profile, before.probed_at),
        (None, None) => (Profile::usual(protocol), None),
    };
    let model = Llm {
        name: name.clone(),
        protocol,
        base_url: new.base_url,
        model_id: new.model_id,
        key,
        roles: new.roles,
        price: new.price,
        profile,
        probed_at,
        updated_at: ctx.clock.now(),
        updated_by: access.actor.clone(),
    };
    let details = json!({ "base_url": model.base_url, "key": model.key, "roles": model.roles });
    let audit = ctx.audit(&access.actor, "model.put", name.as_str(), details);
    ctx.store.put_model(&model, &changed(ctx, access, name, "put"), &audit).await?;
    Ok(ModelView { model, configured: false })
}

pub async fn remove(ctx: &Ctx, access: &Access, name: &LlmName) -> Result<(), Error> {
    access.may_touch_all(Verb::ManageModels)?;
    let audit = ctx.audit(&access.actor, "model.remove", name.as_str(), json!({}));
    match ctx.store.remove_model(name, &changed(ctx, access, name, "removed"), &audit).await? {
        true => Ok(()),
        false => Err(absent(name)),
    }
}

/// Asks a model a few small questions, and keeps what it takes.
pub async fn test(ctx: &Ctx, access: &Access, name: &LlmName) -> Result<TestedModel, Error> {
    access.may_touch_all(Verb::ManageModels)?;
    let ModelView { model, configured } = one(ctx, name).await?;
    let begun = Instant::now();
    let open = open(ctx, model, configured).await?;
    let (said, usage, notes, profile) = match open.is_for_embeddings_alone() {
        true => {
            let Asked { reply, usage, .. } =
                open.embed(ctx, Map::from_iter([("input".to_owned(), json!("hello"))])).await?;
            let numbers =
                reply.pointer("/data/0/embedding").and_then(|numbers| Some(numbers.as_array()?.len()));
            (format!("a vector of {} numbers", numbers.unwrap_or(0)), usage, Vec::new(), None)
        }
        false => {
            let probed = open.probe(ctx).await?;
            (probed.said, probed.usage, probed.notes, Some(probed.profile))
        }
    };
    let cost = open.model.price.cost(&usage);
    let duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let (said, notes) = (open.redacted(&said), notes.iter().map(|note| open.redacted(note)).collect());
    let model = keep(ctx, access, open.model, configured, profile).await?;
    Ok(TestedModel { model: ModelView { model, configured }, said, usage, cost, duration_ms, notes })
}

/// What listens on the usual ports of the server's machine and lists models.
pub async fn found(ctx: &Ctx, access: &Access) -> Result<Vec<FoundServer>, Error> {
    access.may_touch_all(Verb::ManageModels)?;
    Ok(llm::find(&ctx.http_client).await)
}

async fn keep(
    ctx: &Ctx,
    access: &Access,
    model: Llm,
    configured: bool,
    profile: Option<Profile>,
) -> Result<Llm, Error> {
    let profile = profile.unwrap_or_else(|| model.profile.clone());
    let at = ctx.clock.now();
    if !configured {
        let name = &model.name;
        let audit = ctx.audit(&access.actor, "model.test", name.as_str(), json!({}));
        let event = changed(ctx, access, name, "tested");
        if !ctx.store.put_model_profile(&model, &profile, at, &event, &audit).await? {
            return Err(Error::Input {
                problem: format!("model `{name}` was changed while it was tested"),
                hint: format!("test it again: `selfmade model test {name}`"),
            });
        }
    }
    Ok(Llm { profile, probed_at: Some(at), ..model })
}

/// Those that are stored; where none is, the one that is configured, if it can be asked.
async fn known(ctx: &Ctx) -> Result<Vec<ModelView>, Error> {
    let stored = ctx.store.models().await?;
    if !stored.is_empty() {
        return Ok(stored.into_iter().map(|model| ModelView { model, configured: false }).collect());
    }
    let config = &ctx.engine.config.model;
    let can_be_asked = config.url.is_some() || ctx.store.sealed_secret(&config.key).await?.is_some();
    let configured = config.as_model().filter(|_| can_be_asked);
    Ok(configured.into_iter().map(|model| ModelView { model, configured: true }).collect())
}

async fn one(ctx: &Ctx, name: &LlmName) -> Result<ModelView, Error> {
    known(ctx).await?.into_iter().find(|view| view.model.name == *name).ok_or_else(|| absent(name))
}

fn absent(name: &LlmName) -> Error {
    Error::Absent { noun: "model", name: name.to_string() }
}

fn changed(ctx: &Ctx, access: &Access, name: &LlmName, what: &str) -> NewEvent {
    NewEvent {
        kind: EventKind::ModelChanged,
        source: name.to_string(),
        data: json!({ "name": name, "change": what }),
        actor: access.actor.clone(),
        at: ctx.clock.now(),
    }
}
