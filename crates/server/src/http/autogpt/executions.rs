//! `/graphs/{id}/execute` and `/graphs/{id}/executions`: runs and their node executions.
//!
//! The lists are whole in AutoGPT. Here they are, too, up to a bound; the header `Link` says where the rest is.

use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json as Body};
use model::ids::RunId;
use model::input::json_size::json_size;
use model::name::EntryName;
use model::version::VersionNumber;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answers::{Allowed, Answer, NotDone};
use super::named::{Found, OfGraph};
use crate::app::autogpt::executions;
use crate::error::Error;
use crate::http::request::authorization::to;
use crate::http::request::caller::Caller;
use crate::http::request::extract::{Json, Path, Query};
use crate::http::request::paging::List;
use crate::http::runs::waited;
use crate::http::state::Door;

/// So many runs are listed at once.
const RUNS: u32 = 1_000;
/// So many node executions are read at once.
const PAGE: u32 = 1_000;
/// An answer has no more bytes than about these.
const MOST_BYTES: u64 = 32 << 20;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new()
        .routes(routes!(execute))
        .routes(routes!(list))
        .routes(routes!(show))
        .routes(routes!(stop))
}

/// Starts a run of the active version; the body is its input
#[utoipa::path(post, path = "/graphs/{graph_id}/execute", params(("graph_id" = String, Path)), request_body = Value, responses((status = 200, body = Value)))]
async fn execute(
    State(door): State<Door>,
    caller: Allowed<OfGraph<to::StartRun>>,
    Extension(Found(name)): Extension<Found>,
    Json(input): Json<Option<Map<String, Value>>>,
) -> Answer {
    let input = input.unwrap_or_default();
    let (request, nodes) = executions::to_start(door.ctx(), caller.access(), &name, input).await?;
    // It goes on, and is asked for.
    let run = waited(&door, &caller, request, Duration::ZERO).await?;
    Ok(Body(executions::started(run.run_id, &nodes)))
}

/// Which runs.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct RunsQuery {
    /// Only those of this version.
    graph_version: Option<u32>,
    /// As `Link` has it.
    cursor: Option<String>,
}

/// The ids of the runs of a graph, the newest first
#[utoipa::path(get, path = "/graphs/{graph_id}/executions", params(("graph_id" = String, Path), RunsQuery), responses((status = 200, body = Value)))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<OfGraph<to::ReadRuns>>,
    Path(id): Path<String>,
    Extension(Found(name)): Extension<Found>,
    Query(query): Query<RunsQuery>,
) -> Result<Response, NotDone> {
    let before = List::Runs.begin::<RunId>(query.cursor.as_deref(), None)?;
    let version = query.graph_version.map(VersionNumber);
    let found = executions::list(door.ctx(), caller.access(), &name, version, before, RUNS).await?;
    let version = query.graph_version.map(|number| format!("graph_version={number}&")).unwrap_or_default();
    let address = format!("/autogpt/api/graphs/{id}/executions?{version}");
    Ok(page(json!(found.0), found.1.map(|last| format!("{address}cursor={}", List::Runs.cursor(last)))))
}

/// Which node executions.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct NodesQuery {
    /// As `Link` has it.
    cursor: Option<String>,
}

/// The node executions of a run of this graph, in the order in which they began
#[utoipa::path(get, path = "/graphs/{graph_id}/executions/{run_id}", params(("graph_id" = String, Path), ("run_id" = RunId, Path), NodesQuery), responses((status = 200, body = Value)))]
async fn show(
    State(door): State<Door>,
    caller: Allowed<OfGraph<to::ReadRuns>>,
    Path((id, run)): Path<(String, String)>,
    Extension(Found(name)): Extension<Found>,
    Query(query): Query<NodesQuery>,
) -> Result<Response, NotDone> {
    let after = List::Nodes.begin::<u32>(query.cursor.as_deref(), None)?.unwrap_or(0);
    nodes(&door, &caller, (&id, &name), &run, after).await
}

/// Ends a run of this graph, and answers its node executions
#[utoipa::path(post, path = "/graphs/{graph_id}/executions/{run_id}/stop", params(("graph_id" = String, Path), ("run_id" = RunId, Path)), responses((status = 200, body = Value)))]
async fn stop(
    State(door): State<Door>,
    caller: Allowed<OfGraph<to::CancelRun>>,
    Path((id, run)): Path<(String, String)>,
    Extension(Found(name)): Extension<Found>,
) -> Result<Response, NotDone> {
    executions::stop(door.ctx(), caller.access(), &name, run_id(&run)?).await?;
    nodes(&door, &caller, (&id, &name), &run, 0).await
}

async fn nodes(
    door: &Door,
    caller: &Caller,
    (id, name): (&str, &EntryName),
    run: &str,
    mut after: u32,
) -> Result<Response, NotDone> {
    let run = run_id(run)?;
    let (mut found, mut bytes) = (Vec::new(), 0);
    let next = loop {
        let (some, next) = executions::page(door.ctx(), caller.access(), name, run, after, PAGE).await?;
        bytes += some.iter().map(json_size).sum::<u64>();
        found.extend(some);
        match next {
            Some(last) if bytes < MOST_BYTES => after = last,
            next => break next,
        }
    };
    let address = format!("/autogpt/api/graphs/{id}/executions/{run}");
    Ok(page(found.into(), next.map(|last| format!("{address}?cursor={}", List::Nodes.cursor(last)))))
}

/// What is no id is the id of no run.
fn run_id(text: &str) -> Result<RunId, NotDone> {
    text.parse().map_err(|_| Error::RunNotFound { id: text.to_owned() }.into())
}

fn page(items: Value, next: Option<String>) -> Response {
    let mut response = Body(items).into_response();
    let link = next.and_then(|next| HeaderValue::from_str(&format!("<{next}>; rel=\"next\"")).ok());
    if let Some(link) = link {
        response.headers_mut().insert(header::LINK, link);
    }
    response
}
