//! `/settings`: sets secrets. Here whoever manages secrets may, and nobody else; the configuration is the operator's.

use axum::Json as Body;
use axum::extract::State;
use secrecy::{ExposeSecret, SecretBox, SecretString};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answers::{Allowed, Answer, NotDone};
use crate::app::secrets;
use crate::http::request::authorization::{Whole, to};
use crate::http::request::extract::Json;
use crate::http::state::Door;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(set))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsBody {
    #[serde(default)]
    config: Map<String, Value>,
    #[serde(default)]
    secrets: BTreeMap<String, SecretString>,
}

/// Sets the values of secrets
#[utoipa::path(post, path = "/settings", request_body = Value, responses((status = 200, body = Value)))]
async fn set(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ManageSecrets>>,
    Json(body): Json<SettingsBody>,
) -> Answer {
    if let Some(name) = body.config.keys().next() {
        return Err(NotDone::bad_request(format!(
            "`{name}` cannot be set over HTTP; whoever operates the server sets it in `config.toml`"
        )));
    }
    for (name, value) in &body.secrets {
        let value = SecretBox::new(Box::new(value.expose_secret().as_bytes().to_vec()));
        secrets::set(door.ctx(), caller.access(), name, &value).await?;
    }
    let updated = json!({ "config": [], "secrets": body.secrets.keys().collect::<Vec<_>>() });
    Ok(Body(json!({ "message": "Settings updated successfully", "updated_fields": updated })))
}
