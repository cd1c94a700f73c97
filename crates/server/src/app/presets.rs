//! Presets: named inputs of Functions and Graphs, for everybody who may run these.

use model::access::Access;
use model::access::verb::Verb;
use model::entry::EntryKey;
use model::event::{EventKind, NewEvent};
use model::name::EntryName;
use model::preset::{self, Preset};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use store::PresetFilter;

use crate::app::functions::{Which, not_found};
use crate::ctx::Ctx;
use crate::error::Error;

/// A preset, with what is live under the name it is for.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct PresetView {
    #[serde(flatten)]
    pub preset: Preset,
    /// Required parameters that whoever runs it has to state.
    pub open: Vec<String>,
    /// Why it cannot be run as it is.
    pub problem: Option<String>,
}

/// By callable and name: of one, or of all that may be seen.
pub async fn list(
    ctx: &Ctx,
    access: &Access,
    callable: Option<&EntryName>,
    after: Option<(String, String)>,
    limit: u32,
) -> Result<Vec<PresetView>, Error> {
    access.may(Verb::ReadPresets)?;
    let callables = callable.into_iter().map(ToString::to_string).collect();
    let filter = PresetFilter { callables, after, scope: access.only().clone() };
    let mut views = Vec::new();
    for preset in ctx.store.presets(&filter, limit).await? {
        views.push(view(ctx, preset).await?);
    }
    Ok(views)
}

pub async fn show(ctx: &Ctx, access: &Access, callable: &EntryName, name: &str) -> Result<PresetView, Error> {
    access.may_touch(Verb::ReadPresets, callable.as_str())?;
    view(ctx, stored(ctx, callable, name).await?).await
}

/// Adds a preset, or replaces the one of that name. It has to fit what is live.
pub async fn put(
    ctx: &Ctx,
    access: &Access,
    callable: &EntryName,
    name: &str,
    input: Map<String, Value>,
) -> Result<PresetView, Error> {
    access.may_touch(Verb::ChangePresets, callable.as_str())?;
    preset::check(name, &input).map_err(|error| Error::Input {
        problem: error.to_string(),
        hint: "choose another name, or a smaller input".to_owned(),
    })?;
    let key = EntryKey::function(callable.clone());
    let prepared = match ctx.engine.closures.live(ctx, callable).await {
        Err(Error::NotFound { near: None, .. }) => {
            return Err(not_found(ctx, access.only(), &key, Which::Live).await?);
        }
        prepared => prepared?,
    };
    if let Some(source) = preset::misfit(prepared.signature(), &input) {
        return Err(Error::RunInput { key: prepared.key.clone(), source });
    }
    let secrets = ctx.redaction_for(&[&access.authority]).await?;
    if !secrets.only_in(&Value::Object(input.clone())).is_empty() {
        return Err(Error::Input {
            problem: "the preset contains the value of a secret, and presets are stored".to_owned(),
            hint: "grant the secret to the function instead of passing it".to_owned(),
        });
    }
    let now = ctx.clock.now();
    let new = Preset {
        callable: callable.clone(),
        name: name.to_owned(),
        input,
        created_at: now,
        updated_at: now,
        updated_by: access.actor.clone(),
    };
    let audit = ctx.audit(&access.actor, "preset.set", callable.as_str(), json!({ "preset": name }));
    ctx.store.put_preset(&new, &changed(ctx, access, callable, name, "set"), &audit).await?;
    view(ctx, stored(ctx, callable, name).await?).await
}

pub async fn remove(ctx: &Ctx, access: &Access, callable: &EntryName, name: &str) -> Result<(), Error> {
    access.may_touch(Verb::ChangePresets, callable.as_str())?;
    let audit = ctx.audit(&access.actor, "preset.remove", callable.as_str(), json!({ "preset": name }));
    let event = changed(ctx, access, callable, name, "removed");
    match ctx.store.remove_preset(callable, name, &event, &audit).await? {
        true => Ok(()),
        false => Err(absent(callable, name)),
    }
}

/// What a run with a preset is handed: what is stated, and from the preset what is not.
pub async fn input(
    ctx: &Ctx,
    access: &Access,
    callable: &EntryName,
    name: &str,
    stated: Map<String, Value>,
) -> Result<Map<String, Value>, Error> {
    access.may_touch(Verb::StartRun, callable.as_str())?;
    Ok(preset::merged(&stored(ctx, callable, name).await?.input, stated))
}

async fn stored(ctx: &Ctx, callable: &EntryName, name: &str) -> Result<Preset, Error> {
    ctx.store.preset(callable, name).await?.ok_or_else(|| absent(callable, name))
}

fn absent(callable: &EntryName, name: &str) -> Error {
    Error::Absent { noun: "preset", name: format!("{name}` of `{callable}") }
}

async fn view(ctx: &Ctx, preset: Preset) -> Result<PresetView, Error> {
    let (open, problem) = match ctx.engine.closures.live(ctx, &preset.callable).await {
        Ok(prepared) => {
            let open = preset::open(prepared.signature(), &preset.input);
            let misfit = preset::misfit(prepared.signature(), &preset.input);
            (open.into_iter().map(str::to_owned).collect(), misfit.map(|misfit| misfit.to_string()))
        }
        Err(error @ (Error::NotFound { .. } | Error::VersionNotFound { .. })) => {
            (Vec::new(), Some(error.to_string()))
        }
        Err(error) => return Err(error),
    };
    Ok(PresetView { preset, open, problem })
}

fn changed(ctx: &Ctx, access: &Access, callable: &EntryName, name: &str, what: &str) -> NewEvent {
    NewEvent {
        kind: EventKind::PresetChanged,
        source: callable.to_string(),
        data: json!({ "name": name, "change": what }),
        actor: access.actor.clone(),
        at: ctx.clock.now(),
    }
}
