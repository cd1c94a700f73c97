//! Retention: removes records of Runs that are too old, too many or too large, with everything that belongs to them, and old
//! log entries. The space is returned to the disk.

use std::time::Duration;

use jiff::Timestamp;
use model::access::Access;
use model::access::verb::Verb;
use model::ids::RunId;
use model::run::retention::RetentionPolicy;
use model::trigger::LONGEST_RATE_SECONDS;
use sandbox::CancellationToken;
use serde::{Deserialize, Serialize};
use store::Prune;

use crate::ctx::Ctx;
use crate::error::Error;

/// What stays. Runs that have not ended always do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Retention {
    /// Runs that ended at this time or later.
    pub since: Option<Timestamp>,
    /// This many of the newest, whatever else is said; alone it means that only they stay.
    pub newest: Option<u32>,
    /// As many of the newest as take at most this many bytes.
    pub bytes: Option<u64>,
}

/// What a policy keeps at this time.
fn kept_at(policy: RetentionPolicy, now: Timestamp) -> Retention {
    let since = policy.days.map(|days| days_before(now, days));
    Retention { since, newest: policy.runs, bytes: policy.bytes }
}

fn days_before(now: Timestamp, days: u32) -> Timestamp {
    now.saturating_sub(DAY * days).unwrap_or(Timestamp::MIN)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Pruned {
    pub runs: u64,
    /// The size of their records.
    pub bytes: u64,
    /// By how much the database file shrank; absent on PostgreSQL, which reuses the space by itself.
    pub freed_bytes: Option<u64>,
    /// Unused space in the file that was not returned to the disk, because an older version created the file: `rewrite`
    /// returns it.
    pub free_bytes: u64,
}

/// What went from the logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrunedLogs {
    pub events: u64,
    pub firings: u64,
    pub ticks: u64,
    pub audit: u64,
}

const DAY: Duration = Duration::from_secs(86_400);

/// So many go in one transaction, so that nobody waits for long.
const AT_ONCE: u32 = 1_000;

/// How often a server looks for what does not stay.
const LOOK: Duration = Duration::from_secs(3600);

/// Prunes periodically, until it is stopped.
pub async fn keep(ctx: Ctx, stop: CancellationToken) {
    if ctx.keep == RetentionPolicy::default() {
        return;
    }
    while !stop.is_cancelled() {
        let now = ctx.clock.now();
        if let Err(error) = sweep(&ctx, now).await {
            tracing::warn!("cannot remove old records: {error}");
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = ctx.clock.wait_until(now + LOOK) => {}
        }
    }
}

/// Removes what does not stay, once.
pub async fn sweep(ctx: &Ctx, now: Timestamp) -> Result<(), Error> {
    let runs = remove(ctx, kept_at(ctx.keep, now), |_| ()).await?;
    let logs = remove_logs(ctx, now).await?;
    if runs.runs > 0 || logs != PrunedLogs::default() {
        let freed = give_back(ctx).await?.unwrap_or_default();
        let PrunedLogs { events, firings, ticks, audit } = logs;
        tracing::info!(
            "removed {} old runs, {events} events, {firings} firings, {ticks} ticks and {audit} audit records; the database file \
             became {freed} bytes smaller",
            runs.runs
        );
    }
    Ok(())
}

/// Events, what triggers and schedules did, and the audit trail.
async fn remove_logs(ctx: &Ctx, now: Timestamp) -> Result<PrunedLogs, Error> {
    let (store, mut gone) = (&ctx.store, PrunedLogs::default());
    if let Some(days) = ctx.keep.event_days() {
        let before = days_before(now, days);
        // A rate limit looks back at firings.
        let longest = Duration::from_secs(LONGEST_RATE_SECONDS);
        let firings_before = before.min(now.saturating_sub(longest).unwrap_or(Timestamp::MIN));
        gone.firings = all(|| store.prune_firings(firings_before, AT_ONCE)).await?;
        gone.ticks = all(|| store.prune_ticks(before, AT_ONCE)).await?;
        gone.events = all(|| store.prune_events(before, AT_ONCE)).await?;
    }
    if let Some(days) = ctx.keep.audit_days {
        let before = days_before(now, days);
        gone.audit = all(|| store.prune_audit(before, AT_ONCE)).await?;
    }
    Ok(gone)
}

/// Removes one portion after the other until there is none.
async fn all<F: Future<Output = Result<u64, store::Error>>>(portion: impl Fn() -> F) -> Result<u64, Error> {
    let mut total = 0;
    loop {
        match portion().await? {
            0 => return Ok(total),
            gone => total += gone,
        }
    }
}

/// Gives the room of what was removed back to the disk, in slices. Says by how much the file became smaller.
async fn give_back(ctx: &Ctx) -> Result<Option<u64>, Error> {
    let Some(before) = ctx.store.space().await? else { return Ok(None) };
    let mut space = before;
    while space.incremental && space.free > 0 {
        ctx.store.give_back().await?;
        let Some(now) = ctx.store.space().await?.filter(|now| now.free < space.free) else { break };
        space = now;
    }
    Ok(Some(before.total.saturating_sub(space.total)))
}

/// Removes what does not stay, telling how far it is, and gives the room back. `rewrite` writes a SQLite file again for that, which keeps
/// others from writing meanwhile: files of older versions cannot give room back otherwise.
pub async fn prune(
    ctx: &Ctx,
    access: &Access,
    keep: Retention,
    rewrite: bool,
    told: impl Fn(Pruned),
) -> Result<Pruned, Error> {
    access.may_touch_all(Verb::PruneRuns)?;
    let mut pruned = remove(ctx, keep, told).await?;
    let before = ctx.store.space().await?;
    if rewrite {
        ctx.store.rewrite().await?;
    } else {
        give_back(ctx).await?;
    }
    let after = ctx.store.space().await?;
    pruned.freed_bytes = before.zip(after).map(|(before, after)| before.total.saturating_sub(after.total));
    pruned.free_bytes = after.map_or(0, |after| after.free);
    Ok(pruned)
}

async fn remove(ctx: &Ctx, keep: Retention, told: impl Fn(Pruned)) -> Result<Pruned, Error> {
    let only_newest = keep.since.is_none() && keep.bytes.is_none() && keep.newest.is_some();
    let prune = Prune {
        before: if only_newest { Some(Timestamp::MAX) } else { keep.since },
        max_bytes: keep.bytes,
        keep_newest: keep.newest.unwrap_or_default(),
        limit: AT_ONCE,
    };
    let mut total = Pruned::default();
    loop {
        let gone = ctx.store.prune_runs(&prune).await?;
        if gone.runs == 0 {
            break;
        }
        total = Pruned { runs: total.runs + gone.runs, bytes: total.bytes + gone.bytes, ..total };
        told(total);
    }
    if total.runs > 0 {
        remove_files(ctx).await?;
    }
    Ok(total)
}

/// The files of Runs that are gone.
async fn remove_files(ctx: &Ctx) -> Result<(), Error> {
    let folder = ctx.runs_folder();
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(Error::Read { path: folder, source }),
    };
    for entry in entries.flatten() {
        let Some(run) = entry.file_name().to_str().and_then(|name| name.parse::<RunId>().ok()) else {
            continue;
        };
        if ctx.store.run(run).await?.is_none() {
            let path = entry.path();
            std::fs::remove_dir_all(&path).map_err(|source| Error::Write { path, source })?;
        }
    }
    Ok(())
}
