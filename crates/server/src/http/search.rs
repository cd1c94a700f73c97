//! `/search`: functions by what they are called and what they say they do.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::door::Door;
use super::extract::Query;
use super::needs::{Allowed, Role, Whole, to};
use super::page::limit;
use super::problem::{Problem, Refused};
use crate::app::search;
use crate::search::Hit;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(find)).routes(routes!(rebuild))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SearchQuery {
    /// Words.
    q: String,
    /// At most so many, up to 1,000.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u32>,
}

/// Functions that fit, the best first
#[utoipa::path(get, path = "/search", tag = "search", params(SearchQuery), responses((status = 200, body = Vec<Hit>), Refused))]
async fn find(
    State(door): State<Door>,
    caller: Allowed<Role<to::SearchFunctions>>,
    Query(query): Query<SearchQuery>,
) -> Result<Body<Vec<Hit>>, Problem> {
    let hits = search::search(door.ctx(), caller.access(), &query.q, limit(query.limit) as usize).await?;
    Ok(Body(hits))
}

/// Throws the index of this server away and builds it anew
#[utoipa::path(post, path = "/search/rebuild", tag = "search", responses((status = 204, description = "It is built"), Refused))]
async fn rebuild(
    State(door): State<Door>,
    caller: Allowed<Whole<to::RebuildSearch>>,
) -> Result<StatusCode, Problem> {
    search::rebuild(door.ctx(), caller.access()).await?;
    Ok(StatusCode::NO_CONTENT)
}
