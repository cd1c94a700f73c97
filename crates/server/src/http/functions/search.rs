//! `/search`: functions and graphs by their names and descriptions.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::functions::search::{self, Hit};
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Role, Whole, to};
use crate::http::request::extract::Query;
use crate::http::request::query::Limit;
use crate::http::state::Door;

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(find)).routes(routes!(rebuild))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SearchQuery {
    /// Words.
    q: String,
    /// The maximum number of items, up to 1,000.
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000, default = 100)]
    limit: Limit,
}

/// Matching functions and graphs, best first
#[utoipa::path(get, path = "/search", tag = "search", params(SearchQuery), responses((status = 200, body = Vec<Hit>), Refused))]
async fn find(
    State(door): State<Door>,
    caller: Allowed<Role<to::SearchFunctions>>,
    Query(query): Query<SearchQuery>,
) -> Result<Body<Vec<Hit>>, Problem> {
    let hits = search::search(door.ctx(), caller.access(), &query.q, query.limit.get() as usize).await?;
    Ok(Body(hits))
}

/// Rebuilds the search index of this server
#[utoipa::path(post, path = "/search/rebuild", tag = "search", responses((status = 204, description = "It is built"), Refused))]
async fn rebuild(
    State(door): State<Door>,
    caller: Allowed<Whole<to::RebuildSearch>>,
) -> Result<StatusCode, Problem> {
    search::rebuild(door.ctx(), caller.access()).await?;
    Ok(StatusCode::NO_CONTENT)
}
