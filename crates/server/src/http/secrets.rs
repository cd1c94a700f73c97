//! `/secrets`: set and removed. No value ever comes back.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use model::access::Need;
use model::secret::Secret;
use secrecy::{ExposeSecret, SecretBox, SecretString};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::door::Door;
use super::extract::{Json, Path};
use super::problem::{Problem, Refused};
use crate::app::secrets;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(set, remove))
}

/// Lists secrets, without their values
#[utoipa::path(get, path = "/secrets", tag = "secrets", responses((status = 200, body = Vec<Secret>), Refused))]
async fn list(State(door): State<Door>, caller: Caller) -> Result<Body<Vec<Secret>>, Problem> {
    caller.may_touch_all(Need::Administer)?;
    Ok(Body(secrets::list(door.ctx()).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SecretBody {
    #[schema(value_type = String, format = Password)]
    value: SecretString,
}

/// Adds a secret, or gives it a new value
#[utoipa::path(put, path = "/secrets/{name}", tag = "secrets", params(("name" = String, Path)), request_body = SecretBody, responses((status = 204, description = "It is set"), Refused))]
async fn set(
    State(door): State<Door>,
    caller: Caller,
    Path(name): Path<String>,
    Json(body): Json<SecretBody>,
) -> Result<StatusCode, Problem> {
    caller.may_touch_all(Need::Administer)?;
    let value = SecretBox::new(Box::new(body.value.expose_secret().as_bytes().to_vec()));
    secrets::set(door.ctx(), caller.actor(), &name, &value).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a secret
#[utoipa::path(delete, path = "/secrets/{name}", tag = "secrets", params(("name" = String, Path)), responses((status = 204, description = "It is gone"), Refused))]
async fn remove(
    State(door): State<Door>,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    caller.may_touch_all(Need::Administer)?;
    secrets::remove(door.ctx(), caller.actor(), &name).await?;
    Ok(StatusCode::NO_CONTENT)
}
