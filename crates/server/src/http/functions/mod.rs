//! `/functions`: read, write and delete one at a time. Many at once are a changeset.

pub(crate) mod insights;
pub(crate) mod run_tests;
pub(crate) mod search;
pub(crate) mod warming;

use axum::Json as Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use model::access::scope::Scope;
use model::changeset::diff::Diff;
use model::entry::{EntryKey, EntryKind};
use model::name::EntryName;
use model::revision::Revision;
use serde::Deserialize;
use store::{EntryPage, EntrySummary};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::changesets::ForceQuery;
use super::problem::{Problem, Refused};
use super::request::authorization::{Allowed, Named, Role, to};
use super::request::entries::{DiffQuery, LiveBody, WhichQuery, expected};
use super::request::extract::{Json, Path, Query};
use super::request::paging::{List, Page};
use super::request::query::Limit;
use super::response_cache::Answer;
use super::state::Door;
use crate::app::changesets::drafts::{Intent, Proposal};
use crate::app::changesets::{self, Applied};
use crate::app::functions::dependents::{self, Impact};
use crate::app::functions::{self, EntryView, VersionLine, Which};
use crate::app::packs;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show, put, remove))
        .routes(routes!(versions))
        .routes(routes!(diff))
        .routes(routes!(point))
        .routes(routes!(impact))
}

/// Which functions are listed.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct FunctionsQuery {
    /// `next` of the previous page.
    cursor: Option<String>,
    /// Only names after this one; `cursor` takes precedence.
    after: Option<String>,
    /// The maximum number of items, up to 1,000.
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000, default = 100)]
    limit: Limit,
    /// The brain as it was at this revision.
    revision: Option<u64>,
    /// Only functions of this pack.
    pack: Option<String>,
}

/// Lists functions by name
#[utoipa::path(get, path = "/functions", tag = "functions", params(FunctionsQuery), responses((status = 200, body = Page<EntrySummary>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadFunctions>>,
    Query(query): Query<FunctionsQuery>,
) -> Result<Body<Page<EntrySummary>>, Problem> {
    let limit = query.limit.get();
    if let Some(name) = &query.pack {
        packs::find(door.ctx(), caller.access(), name).await?;
    }
    let page = EntryPage {
        kind: EntryKind::Function,
        pack: query.pack,
        after: List::Functions.begin(query.cursor.as_deref(), query.after)?,
        limit,
        scope: Scope::All,
    };
    let items = functions::list(door.ctx(), caller.access(), page, query.revision.map(Revision)).await?;
    let full = items.len() >= limit as usize;
    let last = items.last().filter(|_| full).map(|last| last.key.name.clone());
    Ok(Body(List::Functions.page(items, last)))
}

/// One function: its live version, or another
#[utoipa::path(get, path = "/functions/{name}", tag = "functions", params(("name" = EntryName, Path), WhichQuery),
    responses((status = 200, body = EntryView, headers(("ETag" = String, description = "For `If-Match` and `If-None-Match`"))), (status = 304, description = "It is the version that `If-None-Match` names"), Refused))]
async fn show(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<EntryName>,
    Query(query): Query<WhichQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let answer = match query.which()? {
        Which::Live => door.shown().live(door.ctx(), caller.access(), name).await?,
        which => Answer::of(
            &functions::show(door.ctx(), caller.access(), &EntryKey::function(name), which).await?,
        )?,
    };
    Ok(answer.to(&headers))
}

/// A function, as it is written.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FunctionBody {
    /// Plain Python: one `def`, with or without the decorator `@selfmade.function(…)`, which states everything else.
    #[schema(
        example = "def add(a: int, b: int) -> int:\n    \"\"\"Adds two numbers.\"\"\"\n    return a + b\n"
    )]
    source: String,
    /// What the change is for.
    title: Option<String>,
}

/// Adds a function, or a version of it, and makes it live if it passes its checks
///
/// With `If-Match: "N"` only if version N is live, with `If-None-Match: *` only if there is none.
#[utoipa::path(put, path = "/functions/{name}", tag = "functions", params(("name" = EntryName, Path), ForceQuery), request_body = FunctionBody,
    responses((status = 200, body = Applied), Refused))]
async fn put(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
    Query(query): Query<ForceQuery>,
    headers: HeaderMap,
    Json(body): Json<FunctionBody>,
) -> Result<Body<Applied>, Problem> {
    let intent = functions::read_function(&body.source, name.as_str(), Some(&name))?;
    let key = EntryKey::function(name);
    let proposal = Proposal {
        expected: expected(&headers)?.map(|live| (key, live)).into_iter().collect(),
        breakage: query.breakage(),
        ..Proposal::of(body.title.unwrap_or_default(), vec![intent])
    };
    Ok(Body(changesets::register(door.ctx(), caller.access(), &proposal).await?))
}

/// Deletes a function; its versions and runs are kept
#[utoipa::path(delete, path = "/functions/{name}", tag = "functions", params(("name" = EntryName, Path)), responses((status = 200, body = Applied), Refused))]
async fn remove(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
    headers: HeaderMap,
) -> Result<Body<Applied>, Problem> {
    let title = format!("delete {name}");
    let key = EntryKey::function(name);
    let proposal = Proposal {
        expected: expected(&headers)?.map(|live| (key.clone(), live)).into_iter().collect(),
        ..Proposal::of(title, vec![Intent::Delete(key)])
    };
    Ok(Body(changesets::register(door.ctx(), caller.access(), &proposal).await?))
}

/// All versions of a function, oldest first
#[utoipa::path(get, path = "/functions/{name}/versions", tag = "functions", params(("name" = EntryName, Path)), responses((status = 200, body = Vec<VersionLine>), Refused))]
async fn versions(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<EntryName>,
) -> Result<Body<Vec<VersionLine>>, Problem> {
    Ok(Body(functions::versions(door.ctx(), caller.access(), &EntryKey::function(name)).await?))
}

/// What differs between two versions
#[utoipa::path(get, path = "/functions/{name}/diff", tag = "functions", params(("name" = EntryName, Path), DiffQuery), responses((status = 200, body = Diff), Refused))]
async fn diff(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<EntryName>,
    Query(query): Query<DiffQuery>,
) -> Result<Body<Diff>, Problem> {
    let (old, new) = query.versions();
    Ok(Body(functions::diff(door.ctx(), caller.access(), &EntryKey::function(name), old, new).await?))
}

/// Makes another version live
#[utoipa::path(put, path = "/functions/{name}/live", tag = "functions", params(("name" = EntryName, Path), ForceQuery), request_body = LiveBody, responses((status = 200, body = Applied), Refused))]
async fn point(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
    Query(query): Query<ForceQuery>,
    Json(body): Json<LiveBody>,
) -> Result<Body<Applied>, Problem> {
    let key = EntryKey::function(name);
    let done = functions::point(door.ctx(), caller.access(), &key, body.version, query.breakage()).await?;
    Ok(Body(done))
}

/// What may break if it is changed
#[utoipa::path(get, path = "/functions/{name}/dependents", tag = "functions", params(("name" = EntryName, Path)), responses((status = 200, body = Impact), Refused))]
async fn impact(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<EntryName>,
) -> Result<Body<Impact>, Problem> {
    Ok(Body(dependents::of(door.ctx(), caller.access(), &name).await?))
}
