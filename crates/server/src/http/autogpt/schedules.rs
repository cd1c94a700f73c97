//! `/graphs/{id}/schedules`: add, list, enable and disable.

use axum::extract::State;
use axum::{Extension, Json as Body};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answers::{Allowed, Answer, NotDone};
use super::named::{Found, OfGraph, OfSchedule};
use crate::app::autogpt::schedules;
use crate::http::request::authorization::to;
use crate::http::request::extract::{Json, Path, Query};
use crate::http::state::Door;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(list, add)).routes(routes!(enable))
}

/// When it ticks.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct TimesQuery {
    /// Five or six fields.
    cron: Option<String>,
    /// An IANA time zone, which AutoGPT did not have; UTC if absent.
    zone: Option<String>,
}

/// Adds a schedule; the body is the input of its runs
#[utoipa::path(post, path = "/graphs/{graph_id}/schedules", params(("graph_id" = String, Path), TimesQuery), request_body = Value, responses((status = 200, body = Value)))]
async fn add(
    State(door): State<Door>,
    caller: Allowed<OfGraph<to::ApplyChangeset>>,
    Extension(Found(name)): Extension<Found>,
    Query(query): Query<TimesQuery>,
    Json(input): Json<Option<Map<String, Value>>>,
) -> Answer {
    let Some(cron) = query.cron else {
        return Err(NotDone::bad_request("`cron` must be given in the query, such as `?cron=0+9+*+*+1`"));
    };
    let zone = query.zone.as_deref().unwrap_or("UTC");
    let input = input.unwrap_or_default();
    let id = schedules::add(door.ctx(), caller.access(), &name, &cron, zone, input).await?;
    Ok(Body(json!({ "id": id })))
}

/// The enabled schedules of a graph: their times by their ids
#[utoipa::path(get, path = "/graphs/{graph_id}/schedules", params(("graph_id" = String, Path)), responses((status = 200, body = Value)))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<OfGraph<to::ReadSchedules>>,
    Extension(Found(name)): Extension<Found>,
) -> Answer {
    Ok(Body(schedules::list(door.ctx(), caller.access(), &name).await?.into()))
}

/// Enables or disables a schedule: `is_enabled`, which is false if absent
#[utoipa::path(put, path = "/graphs/schedules/{schedule_id}", params(("schedule_id" = String, Path)), request_body = Value, responses((status = 200, body = Value)))]
async fn enable(
    State(door): State<Door>,
    caller: Allowed<OfSchedule<to::ApplyChangeset>>,
    Path(id): Path<String>,
    Extension(Found(name)): Extension<Found>,
    Json(body): Json<Map<String, Value>>,
) -> Answer {
    let is_enabled = match body.get("is_enabled") {
        None => false,
        Some(Value::Bool(is_enabled)) => *is_enabled,
        Some(other) => {
            return Err(NotDone::bad_request(format!("`is_enabled` must be true or false, not `{other}`")));
        }
    };
    schedules::enable(door.ctx(), caller.access(), name, is_enabled).await?;
    Ok(Body(json!({ "id": id })))
}
