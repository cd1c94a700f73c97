//! `/secrets`: sets and removes secrets. No value is ever returned.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use model::access::secret::Secret;
use secrecy::{ExposeSecret, SecretBox, SecretString};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Refused};
use super::request::authorization::{Allowed, Whole, to};
use super::request::extract::{Json, Path};
use super::state::Door;
use crate::app::secrets;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(set, remove))
}

/// Lists secrets, without their values
#[utoipa::path(get, path = "/secrets", tag = "secrets", responses((status = 200, body = Vec<Secret>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ManageSecrets>>,
) -> Result<Body<Vec<Secret>>, Problem> {
    Ok(Body(secrets::list(door.ctx(), caller.access()).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SecretBody {
    #[schema(value_type = Option<String>, format = Password)]
    value: Option<SecretString>,
    /// Instead of the value, if it is not text.
    #[schema(value_type = Option<String>, format = Password)]
    base64: Option<SecretString>,
    /// Seals it for these hosts, each as `host`, `host:port` or `*.domain`: functions get a placeholder, and the value is inserted
    /// on the way to one of them. With an empty list functions get the value; if absent, it stays as it was.
    hosts: Option<Vec<String>>,
}

impl SecretBody {
    fn bytes(&self) -> Result<SecretBox<Vec<u8>>, Problem> {
        let unclear = || Problem::bad_request("send either `value`, or its bytes as `base64`");
        let bytes = match (&self.value, &self.base64) {
            (Some(text), None) => text.expose_secret().as_bytes().to_vec(),
            (None, Some(encoded)) => STANDARD.decode(encoded.expose_secret()).map_err(|_| unclear())?,
            _ => return Err(unclear()),
        };
        Ok(SecretBox::new(Box::new(bytes)))
    }
}

/// Adds a secret, or gives it a new value
#[utoipa::path(put, path = "/secrets/{name}", tag = "secrets", params(("name" = String, Path)), request_body = SecretBody, responses((status = 204, description = "It is set"), Refused))]
async fn set(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ManageSecrets>>,
    Path(name): Path<String>,
    Json(body): Json<SecretBody>,
) -> Result<StatusCode, Problem> {
    let (ctx, value) = (door.ctx(), body.bytes()?);
    match &body.hosts {
        Some(hosts) => secrets::set_for(ctx, caller.access(), &name, &value, hosts).await?,
        None => secrets::set(ctx, caller.access(), &name, &value).await?,
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a secret
#[utoipa::path(delete, path = "/secrets/{name}", tag = "secrets", params(("name" = String, Path)), responses((status = 204, description = "It is gone"), Refused))]
async fn remove(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ManageSecrets>>,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    secrets::remove(door.ctx(), caller.access(), &name).await?;
    Ok(StatusCode::NO_CONTENT)
}
