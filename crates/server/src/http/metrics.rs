//! `/metrics`: what the server counts, as Prometheus reads it.

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::door::Door;
use super::needs::{Allowed, Whole, to};
use super::problem::{Problem, Refused};
use crate::metrics;

const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(show))
}

/// What the server counts, in Prometheus' text format
#[utoipa::path(get, path = "/metrics", tag = "server", responses((status = 200, description = "Prometheus' text format", body = String, content_type = "text/plain"), Refused))]
async fn show(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ReadMetrics>>,
) -> Result<impl IntoResponse, Problem> {
    let text = metrics::render(door.ctx(), caller.access()).await?;
    Ok(([(header::CONTENT_TYPE, FORMAT)], text))
}
