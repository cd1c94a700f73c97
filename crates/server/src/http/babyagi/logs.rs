//! `/logs` and `/log_bundle`: runs and their calls as rows of a log.
//!
//! BabyAGI returns the whole log; here it is a page of the newest runs, and the header `Link` says where older ones are.

use axum::Json as Body;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use model::ids::RunId;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answers::{Allowed, Answer, NotDone};
use crate::app::functionz::logs::{self, LogFilter, Logs};
use crate::http::request::authorization::{Named, Role, to};
use crate::http::request::extract::{Path, Query};
use crate::http::request::paging::List;
use crate::http::state::Door;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(all)).routes(routes!(of_function)).routes(routes!(bundle))
}

/// Which rows.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
struct LogsQuery {
    start_date: Option<String>,
    end_date: Option<String>,
    triggered_by_log_id: Option<String>,
    /// As `Link` has it.
    cursor: Option<String>,
}

impl LogsQuery {
    fn filter(self, function: Option<String>) -> Result<LogFilter, NotDone> {
        Ok(LogFilter {
            function,
            since: self.start_date.as_deref().map(date).transpose()?,
            until: self.end_date.as_deref().map(date).transpose()?,
            triggered_by: self.triggered_by_log_id,
            before: List::Logs.begin::<RunId>(self.cursor.as_deref(), None)?,
        })
    }
}

/// As `isoformat()` writes it: with a zone, or without one in UTC.
pub(super) fn date(text: &str) -> Result<Timestamp, NotDone> {
    let zoned = text.parse::<Timestamp>().ok();
    let plain = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|at| at.timestamp());
    zoned.or_else(plain).ok_or_else(|| {
        NotDone::bad_request(format!("`{text}` is not a date; write it as `2026-01-31T09:00:00`"))
    })
}

/// Rows of the newest runs, the oldest of them first
#[utoipa::path(get, path = "/logs", params(LogsQuery), responses((status = 200, body = Value)))]
async fn all(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadRuns>>,
    Query(query): Query<LogsQuery>,
) -> Result<Response, NotDone> {
    let found = logs::logs(door.ctx(), caller.access(), &query.filter(None)?).await?;
    Ok(page(found, "/babyagi/api/logs"))
}

/// Those of one function
#[utoipa::path(get, path = "/logs/{name}", params(("name" = String, Path), LogsQuery), responses((status = 200, body = Value)))]
async fn of_function(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadRuns>>,
    Path(name): Path<String>,
    Query(query): Query<LogsQuery>,
) -> Result<Response, NotDone> {
    let address = format!("/babyagi/api/logs/{name}");
    let found = logs::logs(door.ctx(), caller.access(), &query.filter(Some(name))?).await?;
    Ok(page(found, &address))
}

fn page(found: Logs, address: &str) -> Response {
    let next = found.next.map(|id| format!("<{address}?cursor={}>; rel=\"next\"", List::Logs.cursor(id)));
    let mut response = Body(Value::from(found.rows)).into_response();
    if let Some(Ok(link)) = next.map(|next| HeaderValue::from_str(&next)) {
        response.headers_mut().insert(header::LINK, link);
    }
    response
}

/// Everything that belongs to the same piece of work as one row
#[utoipa::path(get, path = "/log_bundle/{log_id}", params(("log_id" = String, Path)), responses((status = 200, body = Value)))]
async fn bundle(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadRuns>>,
    Path(id): Path<String>,
) -> Answer {
    let rows = logs::bundle(door.ctx(), caller.access(), &id).await?;
    Ok(Body(json!({ "logs": rows })))
}
