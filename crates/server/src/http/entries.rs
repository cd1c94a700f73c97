//! What `/functions` and `/graphs` do in the same way. Their handlers name the kind and describe the route.

use axum::Json as Body;
use axum::http::HeaderMap;
use axum::response::Response;
use model::access::scope::Scope;
use model::changeset::diff::Diff;
use model::entry::{EntryKey, EntryKind};
use model::revision::Revision;
use store::{EntryPage, EntrySummary};

use super::changesets::ForceQuery;
use super::problem::Problem;
use super::request::caller::Caller;
use super::request::entries::{DiffQuery, EntriesQuery, LiveBody, WhichQuery, expected};
use super::request::paging::{List, Page, PageQuery};
use super::response_cache::CachedResponse;
use super::state::Door;
use crate::app::changesets::drafts::{Intent, Proposal};
use crate::app::changesets::{self, Applied};
use crate::app::functions::{self, VersionLine, Which};
use crate::app::packs;

pub(super) async fn list(
    door: &Door,
    caller: &Caller,
    kind: EntryKind,
    page: PageQuery,
    query: EntriesQuery,
) -> Result<Body<Page<EntrySummary>>, Problem> {
    if let Some(name) = &query.pack {
        packs::find(door.ctx(), caller.access(), name).await?;
    }
    let (list, limit) = (List::of(kind), page.limit());
    let after = page.after(list)?;
    let page = EntryPage { kind, pack: query.pack, after, limit, scope: Scope::All };
    let items = functions::list(door.ctx(), caller.access(), page, query.revision.map(Revision)).await?;
    Ok(Body(list.page_of(items, limit, |item| item.key.name.clone())))
}

pub(super) async fn show(
    door: &Door,
    caller: &Caller,
    key: EntryKey,
    query: &WhichQuery,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let answer = match query.which()? {
        Which::Live => door.response_cache().live(door.ctx(), caller.access(), key).await?,
        which => CachedResponse::of(&functions::show(door.ctx(), caller.access(), &key, which).await?)?,
    };
    Ok(answer.to(headers))
}

/// Applies a change of one entry, if what the caller believes to be live is live.
pub(super) async fn apply(
    door: &Door,
    caller: &Caller,
    key: EntryKey,
    headers: &HeaderMap,
    proposal: Proposal,
) -> Result<Body<Applied>, Problem> {
    let expected = expected(headers)?.map(|live| (key, live)).into_iter().collect();
    let proposal = Proposal { expected, ..proposal };
    Ok(Body(changesets::register(door.ctx(), caller.access(), &proposal).await?))
}

pub(super) async fn remove(
    door: &Door,
    caller: &Caller,
    key: EntryKey,
    headers: &HeaderMap,
) -> Result<Body<Applied>, Problem> {
    let proposal = Proposal::of(format!("delete {}", key.name), vec![Intent::Delete(key.clone())]);
    apply(door, caller, key, headers, proposal).await
}

pub(super) async fn versions(
    door: &Door,
    caller: &Caller,
    key: &EntryKey,
) -> Result<Body<Vec<VersionLine>>, Problem> {
    Ok(Body(functions::versions(door.ctx(), caller.access(), key).await?))
}

pub(super) async fn diff(
    door: &Door,
    caller: &Caller,
    key: &EntryKey,
    query: &DiffQuery,
) -> Result<Body<Diff>, Problem> {
    let (old, new) = query.versions();
    Ok(Body(functions::diff(door.ctx(), caller.access(), key, old, new).await?))
}

/// Makes another version live.
pub(super) async fn point(
    door: &Door,
    caller: &Caller,
    key: &EntryKey,
    query: &ForceQuery,
    body: &LiveBody,
) -> Result<Body<Applied>, Problem> {
    Ok(Body(functions::point(door.ctx(), caller.access(), key, body.version, query.breakage()).await?))
}
