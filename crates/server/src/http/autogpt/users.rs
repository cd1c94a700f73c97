//! `/auth/user`: who the caller is.

use axum::Json as Body;
use axum::extract::State;
use serde_json::json;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answers::{Allowed, Answer};
use crate::http::request::authorization::Known;
use crate::http::state::Door;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(user))
}

/// The caller, as a user
#[utoipa::path(post, path = "/auth/user", responses((status = 200, body = serde_json::Value)))]
async fn user(State(_): State<Door>, caller: Allowed<Known>) -> Answer {
    // Tokens and sessions have no address.
    Ok(Body(json!({ "id": caller.actor(), "email": null, "name": caller.actor() })))
}
