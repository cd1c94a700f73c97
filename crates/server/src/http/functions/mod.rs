//! `/functions`: read, write and delete one at a time. Many at once are a changeset.

pub(crate) mod insights;
pub(crate) mod run_tests;
pub(crate) mod search;
pub(crate) mod warming;

use axum::Json as Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use model::changeset::diff::Diff;
use model::entry::{EntryKey, EntryKind};
use model::name::EntryName;
use model::version::VersionNumber;
use serde::Deserialize;
use store::EntrySummary;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::changesets::ForceQuery;
use super::entries;
use super::problem::{Problem, Refused};
use super::request::authorization::{Allowed, Named, Role, to};
use super::request::entries::{DiffQuery, EntriesQuery, LiveBody, WhichQuery};
use super::request::extract::{Json, Path, Query};
use super::request::paging::{Page, PageQuery};
use super::state::Door;
use crate::app::changesets::Applied;
use crate::app::changesets::drafts::Proposal;
use crate::app::functions::dependents::{self, Impact};
use crate::app::functions::provenance::{self, Provenance};
use crate::app::functions::{self, EntryView, VersionLine, Which};

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show, put, remove))
        .routes(routes!(versions))
        .routes(routes!(provenance))
        .routes(routes!(diff))
        .routes(routes!(point))
        .routes(routes!(impact))
}

/// Lists functions by name
#[utoipa::path(get, path = "/functions", tag = "functions", params(PageQuery, EntriesQuery), responses((status = 200, body = Page<EntrySummary>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadFunctions>>,
    Query(page): Query<PageQuery>,
    Query(query): Query<EntriesQuery>,
) -> Result<Body<Page<EntrySummary>>, Problem> {
    entries::list(&door, &caller, EntryKind::Function, page, query).await
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
    entries::show(&door, &caller, EntryKey::function(name), &query, &headers).await
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
    let title = body.title.unwrap_or_default();
    let proposal = Proposal { breakage: query.breakage(), ..Proposal::of(title, vec![intent]) };
    entries::apply(&door, &caller, EntryKey::function(name), &headers, proposal).await
}

/// Deletes a function; its versions and runs are kept
#[utoipa::path(delete, path = "/functions/{name}", tag = "functions", params(("name" = EntryName, Path)), responses((status = 200, body = Applied), Refused))]
async fn remove(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
    headers: HeaderMap,
) -> Result<Body<Applied>, Problem> {
    entries::remove(&door, &caller, EntryKey::function(name), &headers).await
}

/// All versions of a function, oldest first
#[utoipa::path(get, path = "/functions/{name}/versions", tag = "functions", params(("name" = EntryName, Path)), responses((status = 200, body = Vec<VersionLine>), Refused))]
async fn versions(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<EntryName>,
) -> Result<Body<Vec<VersionLine>>, Problem> {
    entries::versions(&door, &caller, &EntryKey::function(name)).await
}

/// Why a version is there: what it was written for, by what, what it passed, and what it has done since
#[utoipa::path(get, path = "/functions/{name}/versions/{version}/provenance", tag = "functions", params(("name" = EntryName, Path), ("version" = u32, Path)), responses((status = 200, body = Provenance), Refused))]
async fn provenance(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path((name, version)): Path<(EntryName, u32)>,
) -> Result<Body<Provenance>, Problem> {
    let which = Which::Number(VersionNumber(version));
    Ok(Body(provenance::show(door.ctx(), caller.access(), &name, which).await?))
}

/// What differs between two versions
#[utoipa::path(get, path = "/functions/{name}/diff", tag = "functions", params(("name" = EntryName, Path), DiffQuery), responses((status = 200, body = Diff), Refused))]
async fn diff(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<EntryName>,
    Query(query): Query<DiffQuery>,
) -> Result<Body<Diff>, Problem> {
    entries::diff(&door, &caller, &EntryKey::function(name), &query).await
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
    entries::point(&door, &caller, &EntryKey::function(name), &query, &body).await
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
