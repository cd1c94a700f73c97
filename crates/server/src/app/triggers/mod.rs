//! Triggers: add, remove, enable and disable; what they did, and what they would do.

pub(in crate::app) mod decision;
pub(in crate::app) mod expression;
pub(in crate::app) mod payload;
mod rehearsal;
pub mod signatures;
pub mod webhooks;

use std::collections::HashMap;

use jiff::Timestamp;
use model::access::Access;
use model::access::actor::Actor;
use model::access::verb::Verb;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::event::{Event, EventKind, NewEvent};
use model::ids::RunId;
use model::input::json_size::json_size;
use model::name::EntryName;
use model::trigger::TriggerContent;
use model::trigger::on::On;
use model::version::{Version, VersionNumber};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::{Count, FiredOn};

use self::payload::{completed, input};
use self::rehearsal::{judge, rehearse};
use super::changesets::drafts::{Intent, Proposal};
use super::changesets::{Applied, register};
use super::functions::names::{Names, started_under};
use super::functions::{Which, version};
use super::runs::{self, Target};
use crate::ctx::Ctx;
use crate::error::Error;

pub use self::rehearsal::Verdict;

/// How many of the newest firings are shown with a Trigger.
const RECENT: u32 = 10;
/// A dry run goes back through no more Events than this; they are gone through in about a second.
const MOST_EVENTS: u64 = 100_000;
/// It stops at this many that concern the Trigger: nobody reads more.
const MOST_VERDICTS: usize = 10_000;
const AT_ONCE: u32 = 1_000;
/// What the events that a dry run looks at may take.
const MOST_BYTES: u64 = 64 << 20;

/// One line of a list.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct TriggerLine {
    pub name: EntryName,
    pub version: VersionNumber,
    pub enabled: bool,
    pub content: TriggerContent,
    pub fired: u64,
    /// How often something kept it from firing.
    pub stopped: u64,
    pub last_fired: Option<Timestamp>,
}

#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct TriggerPage {
    pub triggers: Vec<TriggerLine>,
    /// Those after this name are on the next page; absent on the last page.
    pub next: Option<EntryName>,
}

#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct TriggerView {
    #[serde(flatten)]
    pub line: TriggerLine,
    pub written_by: Actor,
    /// Who wrote it, by name.
    pub who: String,
    /// By whose access it runs: that of whoever applied it.
    pub under: Option<String>,
    pub written_at: Timestamp,
    /// The URL of its webhook, if it listens to one.
    pub webhook: Option<String>,
    /// The newest first.
    pub firings: Vec<FiringLine>,
}

/// What a Trigger did for one Event.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct FiringLine {
    pub seq: u64,
    pub at: Timestamp,
    /// Absent if the event was pruned.
    pub kind: Option<EventKind>,
    pub source: String,
    pub run_id: Option<RunId>,
    /// Why nothing was started, or why it was withdrawn.
    pub stopped: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct FiringPage {
    pub firings: Vec<FiringLine>,
    /// Those about Events before this one are on the next page; absent on the last page.
    pub next: Option<u64>,
}

/// What a Trigger would have done.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Rehearsal {
    pub since: Timestamp,
    /// False if there were too many Events: then the oldest are skipped.
    pub complete: bool,
    /// How many Events were tried.
    pub events: u64,
    pub fires: usize,
    /// For each Event whose kind and source match, in order.
    pub verdicts: Vec<Verdict>,
}

/// What a Trigger would do with one Event.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Trial {
    pub verdict: Verdict,
    pub target: EntryName,
    /// The input its target would get.
    pub input: Option<Map<String, Value>>,
    /// Why its target would get no input, although it fires.
    pub problem: Option<String>,
}

pub fn key(name: EntryName) -> EntryKey {
    EntryKey::new(EntryKind::Trigger, name)
}

/// Adds a Trigger, or replaces the one of that name.
pub async fn put(
    ctx: &Ctx,
    access: &Access,
    name: EntryName,
    content: TriggerContent,
) -> Result<Applied, Error> {
    access.may_touch(Verb::ApplyChangeset, name.as_str())?;
    access.may_touch(Verb::ApplyChangeset, content.target.as_str())?;
    register(ctx, access, &Proposal::of("", vec![Intent::Put(name, Content::Trigger(content))])).await
}

pub async fn remove(ctx: &Ctx, access: &Access, name: EntryName) -> Result<Applied, Error> {
    access.may(Verb::ApplyChangeset)?;
    live(ctx, access, &name).await?;
    register(ctx, access, &Proposal::of("", vec![Intent::Delete(key(name))])).await
}

/// A Trigger that is enabled again does nothing about what happened meanwhile.
pub async fn switch(ctx: &Ctx, access: &Access, name: EntryName, enabled: bool) -> Result<Applied, Error> {
    let title = format!("{} trigger {name}", if enabled { "enable" } else { "disable" });
    register(ctx, access, &Proposal::of(title, vec![Intent::Switch(key(name), enabled)])).await
}

/// By name.
pub async fn list(ctx: &Ctx, access: &Access, after: Option<&str>, limit: u32) -> Result<TriggerPage, Error> {
    access.may(Verb::ReadTriggers)?;
    // One more than is shown tells whether there are more.
    let most = limit.saturating_add(1);
    let mut versions = ctx.store.live_versions(EntryKind::Trigger, after, most, access.only()).await?;
    let more = versions.len() > limit as usize;
    versions.truncate(limit as usize);
    let next = versions.last().filter(|_| more).map(|last| last.head.key.name.clone());
    Ok(TriggerPage { triggers: lines(ctx, versions).await?, next })
}

async fn lines(ctx: &Ctx, versions: Vec<Version>) -> Result<Vec<TriggerLine>, Error> {
    let entries: Vec<_> = versions.iter().map(|version| version.head.entry_id).collect();
    let counts = ctx.store.firing_counts(&entries).await?;
    let line = |version: Version| match version.content {
        Content::Trigger(content) => {
            let Count { started, stopped, last } =
                counts.get(&version.head.entry_id).copied().unwrap_or_default();
            Some(TriggerLine {
                name: version.head.key.name,
                version: version.head.number,
                enabled: content.enabled,
                content,
                fired: started,
                stopped,
                last_fired: last,
            })
        }
        _ => None,
    };
    Ok(versions.into_iter().filter_map(line).collect())
}

pub async fn show(ctx: &Ctx, access: &Access, name: &EntryName) -> Result<TriggerView, Error> {
    let version = live(ctx, access, name).await?;
    let head = version.head.clone();
    let firings = ctx.store.firings_before(head.entry_id, None, RECENT).await?;
    let line = lines(ctx, vec![version]).await?.pop().ok_or_else(|| absent(name))?;
    Ok(TriggerView {
        webhook: webhooks::path(&line.content),
        line,
        who: Names::of_actors(ctx, access, [&head.written_by]).await?.who(&head.written_by),
        under: started_under(ctx, access, head.entry_id).await?,
        written_by: head.written_by,
        written_at: head.written_at,
        firings: firings.into_iter().map(|fired| firing(access, fired)).collect(),
    })
}

/// What it says now.
pub async fn content(ctx: &Ctx, access: &Access, name: &EntryName) -> Result<TriggerContent, Error> {
    match live(ctx, access, name).await?.content {
        Content::Trigger(content) => Ok(content),
        _ => Err(absent(name)),
    }
}

/// What it did, the newest first; also of one that was removed.
pub async fn firings(
    ctx: &Ctx,
    access: &Access,
    name: &EntryName,
    before: Option<u64>,
    limit: u32,
) -> Result<FiringPage, Error> {
    access.may_touch(Verb::ReadTriggers, name.as_str())?;
    let key = key(name.clone());
    let Some(head) = ctx.store.versions(&key).await?.pop() else {
        return Err(super::functions::not_found(ctx, access.only(), &key, Which::Live).await?);
    };
    let mut fired = ctx.store.firings_before(head.entry_id, before, limit.saturating_add(1)).await?;
    let more = fired.len() > limit as usize;
    fired.truncate(limit as usize);
    let next = fired.last().filter(|_| more).map(|last| last.firing.seq);
    Ok(FiringPage { firings: fired.into_iter().map(|fired| firing(access, fired)).collect(), next })
}

/// What it fired on is named as far as it may be seen.
pub(crate) fn firing(access: &Access, fired: FiredOn) -> FiringLine {
    let FiredOn { firing, kind, source } = fired;
    // Why it started nothing may quote what came from there.
    let is_seen = source.as_deref().map_or(access.only().is_all(), |source| access.covers(source));
    let stopped = firing.stopped.map(|why| if is_seen { why } else { "stopped".to_owned() });
    let source = source.filter(|_| is_seen).unwrap_or_default();
    FiringLine { seq: firing.seq, at: firing.at, kind, source, run_id: firing.run_id, stopped }
}

/// What it would have fired on since then, were it enabled.
pub async fn dry_run(
    ctx: &Ctx,
    access: &Access,
    content: &TriggerContent,
    since: Timestamp,
) -> Result<Rehearsal, Error> {
    access.may(Verb::ReadTriggers)?;
    access.may_touch(Verb::ReadFunctions, content.target.as_str())?;
    let kind = match &content.on {
        On::Kind(kind) => Some(kind),
        On::Pattern(_) => None,
    };
    let (mut seq, mut events, mut complete) = (i64::MAX as u64, 0, false);
    let (mut fitting, mut bytes): (Vec<Event>, u64) = (Vec::new(), 0);
    while events < MOST_EVENTS && fitting.len() < MOST_VERDICTS && bytes < MOST_BYTES && !complete {
        let page = ctx.store.events_before(seq, kind, AT_ONCE, access.only()).await?;
        complete = page.is_empty();
        seq = page.last().map_or(seq, |last| last.seq);
        for event in page {
            if event.fact.at < since {
                complete = true;
                break;
            }
            events += 1;
            if content.listens_to(&event) {
                let event = completed(ctx, event).await?;
                bytes += json_size(&event.fact.data);
                fitting.push(event);
            }
        }
    }
    fitting.reverse();
    let enabled = enabled(content);
    let mut problems = HashMap::new();
    for event in &fitting {
        if judge(&ctx.expressions, &enabled, event).await.fires
            && let Err(problem) = made(ctx, content, event).await?
        {
            problems.insert(event.seq, problem);
        }
    }
    let verdicts = rehearse(&ctx.expressions, &enabled, &fitting, &problems).await;
    let fires = verdicts.iter().filter(|verdict| verdict.fires).count();
    Ok(Rehearsal { since, complete, events, fires, verdicts })
}

/// What it would do about one Event, were it enabled and had it not fired before.
pub async fn trial(
    ctx: &Ctx,
    access: &Access,
    content: &TriggerContent,
    event: &Event,
) -> Result<Trial, Error> {
    access.may(Verb::ReadTriggers)?;
    access.may_touch(Verb::ReadFunctions, content.target.as_str())?;
    let verdict = judge(&ctx.expressions, &enabled(content), event).await;
    let (input, problem) = match verdict.fires {
        false => (None, None),
        true => match made(ctx, content, event).await? {
            Ok(input) => (Some(input), None),
            Err(problem) => (None, Some(problem)),
        },
    };
    Ok(Trial { verdict, target: content.target.clone(), input, problem })
}

/// What the target would get, or why nothing would run.
async fn made(
    ctx: &Ctx,
    content: &TriggerContent,
    event: &Event,
) -> Result<Result<Map<String, Value>, String>, Error> {
    let target = Target::Live(content.target.clone());
    let fitting = async {
        let input = input(ctx, content, event).await?;
        runs::check_input(ctx, &target, input.clone()).await?;
        Ok(input)
    };
    match fitting.await {
        Ok(input) => Ok(Ok(input)),
        Err(error @ Error::Store(_)) => Err(error),
        Err(error) => Ok(Err(error.to_string())),
    }
}

fn enabled(content: &TriggerContent) -> TriggerContent {
    TriggerContent { enabled: true, ..content.clone() }
}

/// An Event that happened.
pub async fn event(ctx: &Ctx, access: &Access, seq: u64) -> Result<Event, Error> {
    access.may(Verb::ReadEvents)?;
    let found = ctx.store.events_after(seq.saturating_sub(1), 1).await?.pop();
    let found = found.filter(|event| event.seq == seq && event.is_visible_to(access.only()));
    match found {
        Some(event) => completed(ctx, event).await,
        None => Err(Error::Absent { noun: "event", name: seq.to_string() }),
    }
}

/// An Event that did not happen, to try a Trigger with.
pub fn made_up(ctx: &Ctx, access: &Access, kind: EventKind, source: String, data: Value) -> Event {
    let fact = NewEvent { kind, source, data, actor: access.actor.clone(), at: ctx.clock.now() };
    Event { seq: 0, fact }
}

async fn live(ctx: &Ctx, access: &Access, name: &EntryName) -> Result<Version, Error> {
    version(ctx, access, &key(name.clone()), Which::Live).await
}

fn absent(name: &EntryName) -> Error {
    Error::NotFound { key: key(name.clone()), near: None }
}
