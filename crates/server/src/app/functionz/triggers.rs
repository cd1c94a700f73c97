//! Triggers in BabyAGI's sense: this function runs after that one.

use std::collections::HashMap;

use model::access::Access;
use model::access::verb::Verb;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::event::EventKind;
use model::name::EntryName;
use model::trigger::TriggerContent;

use crate::app::changesets::drafts::{Intent, Proposal};
use crate::app::functions::{Which, version};
use crate::ctx::Ctx;
use crate::error::Error;

/// After which functions each function runs.
pub(super) struct Upstreams(HashMap<String, Vec<String>>);

impl Upstreams {
    pub(super) fn of(&self, target: &str) -> &[String] {
        self.0.get(target).map_or(&[], Vec::as_slice)
    }
}

/// As far as they may be seen.
pub(super) async fn upstreams(ctx: &Ctx, access: &Access) -> Result<Upstreams, Error> {
    let mut upstreams: HashMap<String, Vec<String>> = HashMap::new();
    for live in ctx.triggers.all(ctx).await?.iter().filter(|live| access.covers(live.name.as_str())) {
        if let Some(upstream) = upstream(&live.content).filter(|name| access.covers(name)) {
            upstreams.entry(live.content.target.to_string()).or_default().push(upstream.to_owned());
        }
    }
    Ok(Upstreams(upstreams))
}

/// After which functions this one runs: what it declares as its `triggers`.
pub async fn of(ctx: &Ctx, access: &Access, target: &str) -> Result<Vec<String>, Error> {
    access.may_touch(Verb::ReadTriggers, target)?;
    Ok(upstreams(ctx, access).await?.of(target).to_vec())
}

/// Which functions run after this one whatever it returns.
pub async fn after(ctx: &Ctx, access: &Access, source: &str) -> Result<Vec<String>, Error> {
    access.may_touch(Verb::ReadTriggers, source)?;
    let all = ctx.triggers.all(ctx).await?;
    let always = |content: &TriggerContent| {
        content.condition.is_none() && content.rate_limit.is_none() && content.debounce_ms.is_none()
    };
    let fitting = all.iter().filter(|live| upstream(&live.content) == Some(source) && always(&live.content));
    let seen = fitting
        .filter(|live| access.covers(live.name.as_str()) && access.covers(live.content.target.as_str()));
    Ok(seen.map(|live| live.content.target.to_string()).collect())
}

/// That one function runs after another, or after any.
pub async fn addition(
    ctx: &Ctx,
    access: &Access,
    target: EntryName,
    source: Option<&str>,
) -> Result<Proposal, Error> {
    access.may_touch(Verb::ProposeChangeset, target.as_str())?;
    version(ctx, access, &EntryKey::function(target.clone()), Which::Live).await?;
    let (name, content) = match source {
        Some(source) => after_one(source, &target)?,
        None => {
            let content = TriggerContent { source: None, ..TriggerContent::after("", target.clone()) };
            (TriggerContent::name_after("any", &target)?, content)
        }
    };
    Ok(Proposal::of("", vec![Intent::Put(name, Content::Trigger(content))]))
}

/// What it takes that a function runs after these and, of what is declared this way, after no others.
pub(super) async fn declared(
    ctx: &Ctx,
    access: &Access,
    target: &EntryName,
    sources: &[String],
) -> Result<Vec<Intent>, Error> {
    let mut intents = Vec::new();
    let mut wanted = Vec::new();
    for source in sources {
        let (name, content) = after_one(source, target)?;
        wanted.push(name.clone());
        intents.push(Intent::Put(name, Content::Trigger(content)));
    }
    for live in ctx.triggers.all(ctx).await?.iter() {
        let is_declared = live.content.target == *target
            && upstream(&live.content)
                .and_then(|source| TriggerContent::name_after(source, target).ok())
                .is_some_and(|name| name == live.name);
        if is_declared && access.covers(live.name.as_str()) && !wanted.contains(&live.name) {
            intents.push(Intent::Delete(EntryKey::new(EntryKind::Trigger, live.name.clone())));
        }
    }
    Ok(intents)
}

fn after_one(source: &str, target: &EntryName) -> Result<(EntryName, TriggerContent), Error> {
    let name = TriggerContent::name_after(source, target)?;
    Ok((name, TriggerContent::after(source, target.clone())))
}

fn upstream(content: &TriggerContent) -> Option<&str> {
    let follows = content.enabled && content.on.fits(&EventKind::RunFinished);
    content.watched().filter(|_| follows)
}
