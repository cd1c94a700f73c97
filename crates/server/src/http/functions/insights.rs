//! `/insights`: how functions perform, and what to improve.

use axum::Json as Body;
use axum::extract::State;
use jiff::{SignedDuration, Timestamp};
use model::name::EntryName;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::insights::{self, Insight};
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Named, Role, to};
use crate::http::request::extract::{Path, Query};
use crate::http::request::query::time;
use crate::http::state::Door;

/// What is looked at unless asked otherwise.
const LATELY: SignedDuration = SignedDuration::from_hours(7 * 24);

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(all)).routes(routes!(one))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SinceQuery {
    /// Only runs created at this time or later; the last week if absent.
    #[serde(default, deserialize_with = "time")]
    since: Option<Timestamp>,
}

impl SinceQuery {
    fn since(&self, door: &Door) -> Timestamp {
        self.since.unwrap_or_else(|| door.ctx().clock.now() - LATELY)
    }
}

/// Of all functions that ran, most total time first
#[utoipa::path(get, path = "/insights", tag = "insights", params(SinceQuery), responses((status = 200, body = Vec<Insight>), Refused))]
async fn all(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadInsights>>,
    Query(query): Query<SinceQuery>,
) -> Result<Body<Vec<Insight>>, Problem> {
    let insights = insights::all(door.ctx(), caller.access(), query.since(&door)).await?;
    Ok(Body(insights))
}

/// Of one function
#[utoipa::path(get, path = "/insights/{name}", tag = "insights", params(("name" = EntryName, Path), SinceQuery), responses((status = 200, body = Insight), Refused))]
async fn one(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadInsights>>,
    Path(name): Path<EntryName>,
    Query(query): Query<SinceQuery>,
) -> Result<Body<Insight>, Problem> {
    Ok(Body(insights::of(door.ctx(), caller.access(), &name, query.since(&door)).await?))
}
