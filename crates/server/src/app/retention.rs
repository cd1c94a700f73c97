//! Retention: records of Runs that are too old, too many or too large go, with all that belongs to them.

use std::time::Duration;

use jiff::Timestamp;
use model::access::Access;
use model::ids::RunId;
use model::verb::Verb;
use sandbox::CancellationToken;
use serde::{Deserialize, Serialize};
use store::Prune;

use super::error::Error;
use crate::ctx::Ctx;

/// What stays. Runs that have not ended always do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Retention {
    /// Those that ended at this time or later.
    pub since: Option<Timestamp>,
    /// This many of the newest, whatever else is said; alone it means that only they stay.
    pub newest: Option<u32>,
    /// As many of the newest as take no more than this.
    pub bytes: Option<u64>,
}

/// What stays of a brain that is served, as it is configured. Unless it is, everything does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// Those that ended in so many days.
    pub days: Option<u32>,
    /// As [`Retention::newest`].
    pub runs: Option<u32>,
    /// As [`Retention::bytes`].
    pub bytes: Option<u64>,
}

impl Keep {
    fn at(self, now: Timestamp) -> Retention {
        let day = Duration::from_secs(86_400);
        let since = self.days.map(|days| now.saturating_sub(day * days).unwrap_or(Timestamp::MIN));
        Retention { since, newest: self.runs, bytes: self.bytes }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Pruned {
    pub runs: u64,
    /// What their records took.
    pub bytes: u64,
}

/// So many go in one transaction, so that nobody waits for long.
const AT_ONCE: u32 = 1_000;

/// How often a server looks for what does not stay.
const LOOK: Duration = Duration::from_secs(3600);

/// Removes what does not stay, now and again, until it is told to stop.
pub async fn keep(ctx: Ctx, stop: CancellationToken) {
    if ctx.keep == Keep::default() {
        return;
    }
    while !stop.is_cancelled() {
        let now = ctx.clock.now();
        match remove(&ctx, ctx.keep.at(now), |_| ()).await {
            Ok(Pruned { runs: 0, .. }) => {}
            Ok(pruned) => tracing::info!("pruned {} runs with {} bytes", pruned.runs, pruned.bytes),
            Err(error) => tracing::warn!("cannot prune runs: {error}"),
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = ctx.clock.wait_until(now + LOOK) => {}
        }
    }
}

/// Removes what does not stay, telling how far it is.
pub async fn prune(
    ctx: &Ctx,
    access: &Access,
    keep: Retention,
    told: impl Fn(Pruned),
) -> Result<Pruned, Error> {
    access.may_touch_all(Verb::PruneRuns)?;
    remove(ctx, keep, told).await
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
        total = Pruned { runs: total.runs + gone.runs, bytes: total.bytes + gone.bytes };
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
