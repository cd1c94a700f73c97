//! Schedules: add, remove, pause and resume, run now; when they tick, what a tick starts, and what happened to their ticks.

pub mod agenda;
mod tick;

use jiff::Timestamp;
use model::access::Access;
use model::access::actor::Actor;
use model::access::verb::Verb;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::ids::RunId;
use model::name::EntryName;
use model::schedule::{ScheduleContent, ScheduleError};
use model::version::{Version, VersionNumber};
use serde::{Deserialize, Serialize};
use store::{Count, Tick};

use super::changesets::drafts::{Expected, Intent, Proposal};
use super::changesets::{Applied, register};
use super::functions::names::{Names, started_under};
use super::functions::{Which, version};
use super::runs::{StartRun, Target};
use crate::ctx::Ctx;
use crate::error::Error;

/// How many of the newest ticks are shown with a Schedule.
const RECENT: u32 = 10;

/// One line of a list.
#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct ScheduleLine {
    pub name: EntryName,
    pub version: VersionNumber,
    pub paused: bool,
    pub content: ScheduleContent,
    pub started: u64,
    /// How many ticks started nothing.
    pub skipped: u64,
    pub last_started: Option<Timestamp>,
    /// Absent if it is paused or over.
    pub next: Option<Timestamp>,
}

#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct SchedulePage {
    pub schedules: Vec<ScheduleLine>,
    /// Those after this name are on the next page; absent on the last page.
    pub next: Option<EntryName>,
}

#[derive(Clone, Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub struct ScheduleView {
    #[serde(flatten)]
    pub line: ScheduleLine,
    pub written_by: Actor,
    /// Who wrote it, by name.
    pub who: String,
    /// By whose access it runs: that of whoever applied it.
    pub under: Option<String>,
    pub written_at: Timestamp,
    /// When it ticks; empty if it is paused or over.
    pub next_times: Vec<Timestamp>,
    /// The newest first.
    pub ticks: Vec<TickLine>,
}

/// What happened at one time.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct TickLine {
    pub at: Timestamp,
    pub run_id: Option<RunId>,
    /// Why nothing was started.
    pub skipped: Option<String>,
}

pub fn key(name: EntryName) -> EntryKey {
    EntryKey::new(EntryKind::Schedule, name)
}

/// Adds a Schedule, or replaces the one of that name.
pub async fn put(
    ctx: &Ctx,
    access: &Access,
    name: EntryName,
    content: ScheduleContent,
) -> Result<Applied, Error> {
    put_if(ctx, access, name, content, None).await
}

/// The same, if what is live of it is as expected.
pub(crate) async fn put_if(
    ctx: &Ctx,
    access: &Access,
    name: EntryName,
    content: ScheduleContent,
    expected: Option<Expected>,
) -> Result<Applied, Error> {
    access.may_touch(Verb::ApplyChangeset, name.as_str())?;
    access.may_touch(Verb::ApplyChangeset, content.target.as_str())?;
    if next_times(ctx, &content, 1)?.is_empty() {
        return Err(Error::Input {
            problem: format!("schedule `{name}` would never tick, because its time has passed"),
            hint: "choose a time in the future".to_owned(),
        });
    }
    let expected = expected.map(|expected| (key(name.clone()), expected)).into_iter().collect();
    let put = Intent::Put(name, Content::Schedule(content));
    register(ctx, access, &Proposal { expected, ..Proposal::of("", vec![put]) }).await
}

pub async fn remove(ctx: &Ctx, access: &Access, name: EntryName) -> Result<Applied, Error> {
    access.may(Verb::ApplyChangeset)?;
    live(ctx, access, &name).await?;
    register(ctx, access, &Proposal::of("", vec![Intent::Delete(key(name))])).await
}

/// Ticks that pass during a pause are not made up for.
pub async fn switch(ctx: &Ctx, access: &Access, name: EntryName, paused: bool) -> Result<Applied, Error> {
    let title = format!("{} schedule {name}", if paused { "pause" } else { "resume" });
    register(ctx, access, &Proposal::of(title, vec![Intent::Switch(key(name), !paused)])).await
}

/// By name.
pub async fn list(
    ctx: &Ctx,
    access: &Access,
    after: Option<&str>,
    limit: u32,
) -> Result<SchedulePage, Error> {
    access.may(Verb::ReadSchedules)?;
    // One more than is shown tells whether there are more.
    let most = limit.saturating_add(1);
    let mut versions = ctx.store.live_versions(EntryKind::Schedule, after, most, access.only()).await?;
    let more = versions.len() > limit as usize;
    versions.truncate(limit as usize);
    let next = versions.last().filter(|_| more).map(|last| last.head.key.name.clone());
    Ok(SchedulePage { schedules: lines(ctx, versions).await?, next })
}

async fn lines(ctx: &Ctx, versions: Vec<Version>) -> Result<Vec<ScheduleLine>, Error> {
    let entries: Vec<_> = versions.iter().map(|version| version.head.entry_id).collect();
    let counts = ctx.store.tick_counts(&entries).await?;
    let mut lines = Vec::with_capacity(versions.len());
    for version in versions {
        let Content::Schedule(content) = version.content else { continue };
        let Count { started, stopped, last } =
            counts.get(&version.head.entry_id).copied().unwrap_or_default();
        let next = if content.paused { None } else { next_times(ctx, &content, 1)?.pop() };
        lines.push(ScheduleLine {
            name: version.head.key.name,
            version: version.head.number,
            paused: content.paused,
            content,
            started,
            skipped: stopped,
            last_started: last,
            next,
        });
    }
    Ok(lines)
}

/// With so many of its next times.
pub async fn show(ctx: &Ctx, access: &Access, name: &EntryName, times: usize) -> Result<ScheduleView, Error> {
    let version = live(ctx, access, name).await?;
    let head = version.head.clone();
    let ticks = ctx.store.ticks(head.entry_id, None, RECENT).await?;
    let line = lines(ctx, vec![version]).await?.pop().ok_or_else(|| absent(name))?;
    let next_times = if line.paused { Vec::new() } else { next_times(ctx, &line.content, times)? };
    Ok(ScheduleView {
        next_times,
        line,
        who: Names::of_actors(ctx, access, [&head.written_by]).await?.who(&head.written_by),
        under: started_under(ctx, access, head.entry_id).await?,
        written_by: head.written_by,
        written_at: head.written_at,
        ticks: ticks.into_iter().map(tick).collect(),
    })
}

fn tick(tick: Tick) -> TickLine {
    TickLine { at: tick.at, run_id: tick.run_id, skipped: tick.skipped }
}

/// When it ticks from now on, as many times as there are of so many.
pub fn next_times(ctx: &Ctx, content: &ScheduleContent, count: usize) -> Result<Vec<Timestamp>, Error> {
    Ok(content.timetable().map_err(|error| unreadable(&error))?.next_times(ctx.clock.now(), count))
}

/// The same as a tick would start, whatever its times and its overlap say.
pub async fn now(ctx: &Ctx, access: &Access, name: &EntryName) -> Result<StartRun, Error> {
    access.may(Verb::StartRun)?;
    match live(ctx, access, name).await?.content {
        Content::Schedule(content) => Ok(StartRun::of(Target::Live(content.target), content.input)),
        _ => Err(absent(name)),
    }
}

/// What is wrong with times, as an error of a verb.
pub fn unreadable(error: &ScheduleError) -> Error {
    let hint = match error {
        ScheduleError::Zone { .. } => {
            "time zones are named as in the IANA database, such as `Europe/Berlin` or `UTC`"
        }
        ScheduleError::Cron(_) | ScheduleError::Interval { .. } | ScheduleError::Time { .. } => {
            "times are written as cron (`30 9 * * MON-FRI`), `@daily`, `every 5m` or `2026-12-24T18:00`"
        }
    };
    Error::Input { problem: error.to_string(), hint: hint.to_owned() }
}

async fn live(ctx: &Ctx, access: &Access, name: &EntryName) -> Result<Version, Error> {
    version(ctx, access, &key(name.clone()), Which::Live).await
}

fn absent(name: &EntryName) -> Error {
    Error::NotFound { key: key(name.clone()), near: None }
}
