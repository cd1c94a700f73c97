//! `/insights`: how functions do, and what to do about it.

use axum::Json as Body;
use axum::extract::State;
use jiff::{SignedDuration, Timestamp};
use model::name::EntryName;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::door::Door;
use super::extract::{Path, Query};
use super::needs::{Allowed, Named, Role, to};
use super::problem::{Problem, Refused};
use crate::app::insights::{self, Insight};

/// What is looked at unless asked otherwise.
const LATELY: SignedDuration = SignedDuration::from_hours(7 * 24);

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(all)).routes(routes!(one))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SinceQuery {
    /// Runs created at this time or later; those of a week if absent.
    since: Option<Timestamp>,
}

impl SinceQuery {
    fn since(&self, door: &Door) -> Timestamp {
        self.since.unwrap_or_else(|| door.ctx().clock.now() - LATELY)
    }
}

/// Of all functions that ran, those first that took the most time
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
