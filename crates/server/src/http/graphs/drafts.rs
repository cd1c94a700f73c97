//! `/graphs/{name}/draft`: a graph under work, edited by patches while callers keep the live version.

use std::collections::BTreeSet;

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use model::graph::draft::Edit;
use model::graph::patch::Patch;
use model::name::EntryName;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::changesets::Applied;
use crate::app::graphs::drafts::{
    self, DraftEdited, DraftLine, DraftView, PinView, Pinning, SeenDraft, Selection,
};
use crate::http::changesets::ForceQuery;
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Named, Role, to};
use crate::http::request::extract::{Json, Path, Query};
use crate::http::request::paging::{List, Page, PageQuery};
use crate::http::request::query::CommaSeparated;
use crate::http::state::Door;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show, patch, discard))
        .routes(routes!(edits))
        .routes(routes!(pin, unpin))
        .routes(routes!(pack))
        .routes(routes!(unpack))
        .routes(routes!(rebase))
        .routes(routes!(apply))
}

/// Lists the drafts of graphs by name
#[utoipa::path(get, path = "/graph-drafts", tag = "graphs", params(PageQuery), responses((status = 200, body = Page<DraftLine>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadChangesets>>,
    Query(query): Query<PageQuery>,
) -> Result<Body<Page<DraftLine>>, Problem> {
    let limit = query.limit();
    let after = query.after(List::Drafts)?;
    let items = drafts::list(door.ctx(), caller.access(), after.as_deref(), limit).await?;
    Ok(Body(List::Drafts.page_of(items, limit, |item| item.name.clone())))
}

/// Together with which drafts it is checked.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct DraftQuery {
    /// Graphs whose drafts are applied along, separated by commas.
    #[serde(default)]
    #[param(value_type = Option<String>)]
    with: CommaSeparated<EntryName>,
}

/// The draft of a graph, what it changes, and what is wrong with it
#[utoipa::path(get, path = "/graphs/{name}/draft", tag = "graphs", params(("name" = EntryName, Path), DraftQuery), responses((status = 200, body = DraftView), Refused))]
async fn show(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadChangesets>>,
    Path(name): Path<EntryName>,
    Query(query): Query<DraftQuery>,
) -> Result<Body<DraftView>, Problem> {
    Ok(Body(drafts::show(door.ctx(), caller.access(), &name, &query.with.0).await?))
}

/// Edits, applied together or not at all.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PatchBody {
    /// The last edit that the editor has seen: if a later one touched the same nodes, nothing is changed. Without it, whatever is there
    /// is edited.
    edit: Option<u64>,
    patches: Vec<Patch>,
}

/// Edits the draft of a graph; the first patch begins it, with what is live
#[utoipa::path(patch, path = "/graphs/{name}/draft", tag = "graphs", params(("name" = EntryName, Path)), request_body = PatchBody,
    responses((status = 200, body = DraftEdited), Refused))]
async fn patch(
    State(door): State<Door>,
    caller: Allowed<Named<to::ProposeChangeset>>,
    Path(name): Path<EntryName>,
    Json(body): Json<PatchBody>,
) -> Result<Body<DraftEdited>, Problem> {
    Ok(Body(drafts::patch(door.ctx(), caller.access(), &name, &body.patches, body.edit).await?))
}

/// Discards the draft of a graph
#[utoipa::path(delete, path = "/graphs/{name}/draft", tag = "graphs", params(("name" = EntryName, Path)), responses((status = 204), Refused))]
async fn discard(
    State(door): State<Door>,
    caller: Allowed<Named<to::ProposeChangeset>>,
    Path(name): Path<EntryName>,
) -> Result<StatusCode, Problem> {
    drafts::discard(door.ctx(), caller.access(), &name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Which edits.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct EditsQuery {
    /// Those after this one.
    #[serde(default)]
    after: u64,
}

/// The edits of a draft, oldest first
#[utoipa::path(get, path = "/graphs/{name}/draft/edits", tag = "graphs", params(("name" = EntryName, Path), EditsQuery), responses((status = 200, body = Vec<Edit>), Refused))]
async fn edits(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadChangesets>>,
    Path(name): Path<EntryName>,
    Query(query): Query<EditsQuery>,
) -> Result<Body<Vec<Edit>>, Problem> {
    Ok(Body(drafts::edits(door.ctx(), caller.access(), &name, query.after).await?))
}

/// Pins outputs of a node: runs of the draft send them instead of executing it
#[utoipa::path(put, path = "/graphs/{name}/draft/pins/{node}", tag = "graphs", params(("name" = EntryName, Path), ("node" = String, Path)), request_body = Pinning,
    responses((status = 200, body = PinView), Refused))]
async fn pin(
    State(door): State<Door>,
    caller: Allowed<Named<to::ProposeChangeset>>,
    Path((name, node)): Path<(EntryName, String)>,
    Json(body): Json<Pinning>,
) -> Result<Body<PinView>, Problem> {
    Ok(Body(drafts::pin(door.ctx(), caller.access(), &name, &node, body).await?))
}

/// Removes the pinned outputs of a node
#[utoipa::path(delete, path = "/graphs/{name}/draft/pins/{node}", tag = "graphs", params(("name" = EntryName, Path), ("node" = String, Path)), responses((status = 204), Refused))]
async fn unpin(
    State(door): State<Door>,
    caller: Allowed<Named<to::ProposeChangeset>>,
    Path((name, node)): Path<(EntryName, String)>,
) -> Result<StatusCode, Problem> {
    drafts::unpin(door.ctx(), caller.access(), &name, &node).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A selection.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PackBody {
    edit: Option<u64>,
    nodes: BTreeSet<String>,
    /// The id of the node that takes their place.
    node: String,
    /// The name of the new graph.
    graph: EntryName,
}

/// Turns a selection of nodes into a graph of its own, which is a draft, too
#[utoipa::path(post, path = "/graphs/{name}/draft/pack", tag = "graphs", params(("name" = EntryName, Path)), request_body = PackBody,
    responses((status = 200, body = DraftEdited), Refused))]
async fn pack(
    State(door): State<Door>,
    caller: Allowed<Named<to::ProposeChangeset>>,
    Path(name): Path<EntryName>,
    Json(body): Json<PackBody>,
) -> Result<Body<DraftEdited>, Problem> {
    let selection = Selection { nodes: body.nodes, node: body.node, graph: body.graph };
    Ok(Body(drafts::pack(door.ctx(), caller.access(), &name, &selection, body.edit).await?))
}

/// A node whose block is a graph.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct UnpackBody {
    edit: Option<u64>,
    node: String,
}

/// Puts what a graph contains in the place of the node that calls it
#[utoipa::path(post, path = "/graphs/{name}/draft/unpack", tag = "graphs", params(("name" = EntryName, Path)), request_body = UnpackBody,
    responses((status = 200, body = DraftEdited), Refused))]
async fn unpack(
    State(door): State<Door>,
    caller: Allowed<Named<to::ProposeChangeset>>,
    Path(name): Path<EntryName>,
    Json(body): Json<UnpackBody>,
) -> Result<Body<DraftEdited>, Problem> {
    Ok(Body(drafts::unpack(door.ctx(), caller.access(), &name, &body.node, body.edit).await?))
}

/// How a draft is rebased.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RebaseBody {
    /// Keep the draft as it is, so that applying it undoes what others changed.
    #[serde(default)]
    force: bool,
}

/// Repeats the edits of a draft on the live version
#[utoipa::path(post, path = "/graphs/{name}/draft/rebase", tag = "graphs", params(("name" = EntryName, Path)), request_body = RebaseBody,
    responses((status = 200, body = DraftView), Refused))]
async fn rebase(
    State(door): State<Door>,
    caller: Allowed<Named<to::ProposeChangeset>>,
    Path(name): Path<EntryName>,
    Json(body): Json<RebaseBody>,
) -> Result<Body<DraftView>, Problem> {
    Ok(Body(drafts::rebase(door.ctx(), caller.access(), &name, body.force).await?))
}

/// What is applied.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ApplyBody {
    /// The last edit that was seen. If the draft was edited since, nothing is applied.
    edit: u64,
    /// What the change is for.
    title: Option<String>,
    /// Graphs whose drafts are applied along, such as those of selections.
    #[serde(default)]
    with: Vec<SeenDraft>,
}

/// Applies the draft of a graph as a changeset, if it passes its checks
#[utoipa::path(post, path = "/graphs/{name}/draft/apply", tag = "graphs", params(("name" = EntryName, Path), ForceQuery), request_body = ApplyBody,
    responses((status = 200, body = Applied), Refused))]
async fn apply(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
    Query(query): Query<ForceQuery>,
    Json(body): Json<ApplyBody>,
) -> Result<Body<Applied>, Problem> {
    let seen: Vec<SeenDraft> =
        std::iter::once(SeenDraft { name, edit: body.edit }).chain(body.with).collect();
    let applied = drafts::apply(door.ctx(), caller.access(), &seen, body.title, query.breakage()).await?;
    Ok(Body(applied))
}
