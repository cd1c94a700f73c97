//! Runs as their readers may see them.

use std::sync::Arc;

use model::access::scope::Scope;
use model::access::verb::Verb;
use model::access::{Access, Authority};
use model::ids::RunId;
use model::run::Run;
use store::RunFilter;

use crate::ctx::Ctx;
use crate::error::Error;

/// Whether a Run is there is nobody's business who may not see it.
pub async fn get(ctx: &Ctx, access: &Access, run: RunId) -> Result<Run, Error> {
    Ok(seen_run(access, touched(ctx, access, run).await?))
}

/// Of someone else's authority, a narrow reader sees whose it is and the role; of functions outside, no line.
pub(crate) fn seen_run(access: &Access, mut run: Run) -> Run {
    if access.only().is_all() {
        return run;
    }
    run.error = run.error.map(|error| error.seen(|name| access.covers(name)));
    let authority = &run.authority;
    if authority.holder != access.authority.holder {
        let (holder, role) = (authority.holder.clone(), authority.role);
        run.authority = Arc::new(Authority { role, only: Scope::All, ..Authority::unknown(holder) });
    }
    run
}

/// The Run as it is recorded, if it may be seen.
pub(crate) async fn touched(ctx: &Ctx, access: &Access, run: RunId) -> Result<Run, Error> {
    access.may(Verb::ReadRuns)?;
    let found = ctx.store.run(run).await.map_err(|error| Error::of_record(run, error))?;
    let found = found.filter(|run| access.covers(run.key.name.as_str()));
    found.ok_or_else(|| Error::RunNotFound { id: run.to_string() })
}

pub(super) async fn recorded_run(ctx: &Ctx, run: RunId) -> Result<Run, Error> {
    let found = ctx.store.run(run).await.map_err(|error| Error::of_record(run, error))?;
    found.ok_or_else(|| Error::RunNotFound { id: run.to_string() })
}

pub async fn list(ctx: &Ctx, access: &Access, filter: RunFilter, limit: u32) -> Result<Vec<Run>, Error> {
    access.may(Verb::ReadRuns)?;
    let filter = RunFilter { scope: access.only().clone(), ..filter };
    Ok(ctx.store.runs(&filter, limit).await?)
}
