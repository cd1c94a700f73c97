//! `/graphs`: read, write, check and delete one at a time; under work they are drafts. They come from files and become files and
//! pictures. They are run as functions are.

pub(crate) mod blocks;
pub(crate) mod drafts;
mod exchange;
mod views;

use axum::Json as Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use model::changeset::diff::Diff;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::graph::GraphContent;
use model::graph::check::Problem as GraphProblem;
use model::name::EntryName;
use serde::{Deserialize, Serialize};
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
use crate::app::changesets::drafts::{Intent, Proposal};
use crate::app::functions::{EntryView, VersionLine};
use crate::app::graphs;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(check))
        .routes(routes!(show, put, remove))
        .routes(routes!(versions))
        .routes(routes!(diff))
        .routes(routes!(point))
        .merge(drafts::routes())
        .merge(blocks::routes())
        .merge(exchange::routes())
        .merge(views::routes())
}

fn key(name: EntryName) -> EntryKey {
    EntryKey::new(EntryKind::Graph, name)
}

/// Lists graphs by name
#[utoipa::path(get, path = "/graphs", tag = "graphs", params(PageQuery, EntriesQuery), responses((status = 200, body = Page<EntrySummary>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadFunctions>>,
    Query(page): Query<PageQuery>,
    Query(query): Query<EntriesQuery>,
) -> Result<Body<Page<EntrySummary>>, Problem> {
    entries::list(&door, &caller, EntryKind::Graph, page, query).await
}

/// A graph to look at.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct CheckBody {
    /// The name it would have, to see whether it contains itself.
    name: Option<EntryName>,
    graph: GraphContent,
}

/// What is wrong with a graph.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub(super) struct GraphChecked {
    /// All of them; one whose `severity` is `error` keeps it from being applied.
    pub problems: Vec<GraphProblem>,
}

/// Says everything that is wrong with a graph, without storing it
#[utoipa::path(post, path = "/graphs/check", tag = "graphs", request_body = CheckBody, responses((status = 200, body = GraphChecked), Refused))]
async fn check(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadFunctions>>,
    Json(body): Json<CheckBody>,
) -> Result<Body<GraphChecked>, Problem> {
    let problems = graphs::check(door.ctx(), caller.access(), body.name.as_ref(), &body.graph).await?;
    Ok(Body(GraphChecked { problems }))
}

/// One graph: its live version, or another
#[utoipa::path(get, path = "/graphs/{name}", tag = "graphs", params(("name" = EntryName, Path), WhichQuery),
    responses((status = 200, body = EntryView, headers(("ETag" = String, description = "For `If-Match` and `If-None-Match`"))), (status = 304, description = "It is the version that `If-None-Match` names"), Refused))]
async fn show(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<EntryName>,
    Query(query): Query<WhichQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    entries::show(&door, &caller, key(name), &query, &headers).await
}

/// A graph, as it is written.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct GraphBody {
    graph: GraphContent,
    /// What the change is for.
    title: Option<String>,
}

/// Adds a graph, or a version of it, and makes it live if it passes its checks
///
/// With `If-Match: "N"` only if version N is live, with `If-None-Match: *` only if there is none. Fields that are not known are kept.
#[utoipa::path(put, path = "/graphs/{name}", tag = "graphs", params(("name" = EntryName, Path), ForceQuery), request_body = GraphBody,
    responses((status = 200, body = Applied), Refused))]
async fn put(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
    Query(query): Query<ForceQuery>,
    headers: HeaderMap,
    Json(body): Json<GraphBody>,
) -> Result<Body<Applied>, Problem> {
    let intent = Intent::Put(name.clone(), Content::Graph(body.graph));
    let title = body.title.unwrap_or_default();
    let proposal = Proposal { breakage: query.breakage(), ..Proposal::of(title, vec![intent]) };
    entries::apply(&door, &caller, key(name), &headers, proposal).await
}

/// Deletes a graph; its versions and runs are kept
#[utoipa::path(delete, path = "/graphs/{name}", tag = "graphs", params(("name" = EntryName, Path)), responses((status = 200, body = Applied), Refused))]
async fn remove(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
    headers: HeaderMap,
) -> Result<Body<Applied>, Problem> {
    entries::remove(&door, &caller, key(name), &headers).await
}

/// All versions of a graph, oldest first
#[utoipa::path(get, path = "/graphs/{name}/versions", tag = "graphs", params(("name" = EntryName, Path)), responses((status = 200, body = Vec<VersionLine>), Refused))]
async fn versions(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<EntryName>,
) -> Result<Body<Vec<VersionLine>>, Problem> {
    entries::versions(&door, &caller, &key(name)).await
}

/// What differs between two versions
#[utoipa::path(get, path = "/graphs/{name}/diff", tag = "graphs", params(("name" = EntryName, Path), DiffQuery), responses((status = 200, body = Diff), Refused))]
async fn diff(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<EntryName>,
    Query(query): Query<DiffQuery>,
) -> Result<Body<Diff>, Problem> {
    entries::diff(&door, &caller, &key(name), &query).await
}

/// Makes another version live
#[utoipa::path(put, path = "/graphs/{name}/live", tag = "graphs", params(("name" = EntryName, Path), ForceQuery), request_body = LiveBody, responses((status = 200, body = Applied), Refused))]
async fn point(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
    Query(query): Query<ForceQuery>,
    Json(body): Json<LiveBody>,
) -> Result<Body<Applied>, Problem> {
    entries::point(&door, &caller, &key(name), &query, &body).await
}
