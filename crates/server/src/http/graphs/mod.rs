//! `/graphs`: read, write, check and delete one at a time; under work they are drafts. They are run as functions are.

pub(crate) mod blocks;
pub(crate) mod drafts;

use axum::Json as Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use model::access::scope::Scope;
use model::changeset::diff::Diff;
use model::content::Content;
use model::entry::{EntryKey, EntryKind};
use model::graph::GraphContent;
use model::graph::check::Problem as GraphProblem;
use model::name::EntryName;
use model::revision::Revision;
use serde::{Deserialize, Serialize};
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
use crate::app::functions::{self, EntryView, VersionLine};
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
}

fn key(name: EntryName) -> EntryKey {
    EntryKey::new(EntryKind::Graph, name)
}

/// Which graphs are listed.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct GraphsQuery {
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
}

/// Lists graphs by name
#[utoipa::path(get, path = "/graphs", tag = "graphs", params(GraphsQuery), responses((status = 200, body = Page<EntrySummary>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadFunctions>>,
    Query(query): Query<GraphsQuery>,
) -> Result<Body<Page<EntrySummary>>, Problem> {
    let limit = query.limit.get();
    let page = EntryPage {
        kind: EntryKind::Graph,
        pack: None,
        after: List::Graphs.begin(query.cursor.as_deref(), query.after)?,
        limit,
        scope: Scope::All,
    };
    let items = functions::list(door.ctx(), caller.access(), page, query.revision.map(Revision)).await?;
    let full = items.len() >= limit as usize;
    let last = items.last().filter(|_| full).map(|last| last.key.name.clone());
    Ok(Body(List::Graphs.page(items, last)))
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
    let view = functions::show(door.ctx(), caller.access(), &key(name), query.which()?).await?;
    Ok(Answer::of(&view)?.to(&headers))
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
    let proposal = Proposal {
        expected: expected(&headers)?.map(|live| (key(name), live)).into_iter().collect(),
        breakage: query.breakage(),
        ..Proposal::of(body.title.unwrap_or_default(), vec![intent])
    };
    Ok(Body(changesets::register(door.ctx(), caller.access(), &proposal).await?))
}

/// Deletes a graph; its versions and runs are kept
#[utoipa::path(delete, path = "/graphs/{name}", tag = "graphs", params(("name" = EntryName, Path)), responses((status = 200, body = Applied), Refused))]
async fn remove(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
    headers: HeaderMap,
) -> Result<Body<Applied>, Problem> {
    let title = format!("delete {name}");
    let key = key(name);
    let proposal = Proposal {
        expected: expected(&headers)?.map(|live| (key.clone(), live)).into_iter().collect(),
        ..Proposal::of(title, vec![Intent::Delete(key)])
    };
    Ok(Body(changesets::register(door.ctx(), caller.access(), &proposal).await?))
}

/// All versions of a graph, oldest first
#[utoipa::path(get, path = "/graphs/{name}/versions", tag = "graphs", params(("name" = EntryName, Path)), responses((status = 200, body = Vec<VersionLine>), Refused))]
async fn versions(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<EntryName>,
) -> Result<Body<Vec<VersionLine>>, Problem> {
    Ok(Body(functions::versions(door.ctx(), caller.access(), &key(name)).await?))
}

/// What differs between two versions
#[utoipa::path(get, path = "/graphs/{name}/diff", tag = "graphs", params(("name" = EntryName, Path), DiffQuery), responses((status = 200, body = Diff), Refused))]
async fn diff(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<EntryName>,
    Query(query): Query<DiffQuery>,
) -> Result<Body<Diff>, Problem> {
    let (old, new) = query.versions();
    Ok(Body(functions::diff(door.ctx(), caller.access(), &key(name), old, new).await?))
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
    let done =
        functions::point(door.ctx(), caller.access(), &key(name), body.version, query.breakage()).await?;
    Ok(Body(done))
}
