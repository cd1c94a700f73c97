//! `/metrics`: the server's metrics, in Prometheus' format.

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Whole, to};
use crate::http::state::Door;
use crate::metrics;

const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(show))
}

/// The server's metrics, in Prometheus' text format
#[utoipa::path(get, path = "/metrics", tag = "server", responses((status = 200, description = "Prometheus' text format", body = String, content_type = "text/plain"), Refused))]
async fn show(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ReadMetrics>>,
) -> Result<impl IntoResponse, Problem> {
    let text = metrics::render(door.ctx(), caller.access()).await?;
    Ok(([(header::CONTENT_TYPE, FORMAT)], text))
}
