//! What the owner of the data folder may ask of a running server, with the key that the server left there: how it does, and one more
//! link to sign in. Not part of the API.

use axum::Json;
use axum::Router;
use axum::extract::{FromRequestParts, State};
use axum::http::header;
use axum::http::request::Parts;
use axum::routing::{get, post};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use super::caller::Peer;
use super::door::Door;
use super::problem::Problem;
use crate::engine;

pub(crate) const STATUS: &str = "/control/status";
pub(crate) const SIGN_IN: &str = "/control/sign-in";

/// How a server does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ServerStatus {
    pub runs_under_way: usize,
    /// Why nothing can be written now.
    #[serde(default)]
    pub degraded: Option<String>,
    /// Told to stop, and waiting for Runs to end.
    pub stopping: bool,
}

/// The path of a link.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SignInLink {
    pub path: String,
}

pub(super) fn routes() -> Router<Door> {
    Router::new().route(STATUS, get(status)).route(SIGN_IN, post(sign_in))
}

/// Somebody who has read the key.
struct Owner;

impl FromRequestParts<Door> for Owner {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Owner, Problem> {
        let (peer, now) = (parts.extensions.get::<Peer>().map(|peer| peer.0), door.ctx().clock.now());
        door.guesses().check(peer, now)?;
        let given = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|text| text.strip_prefix("Bearer ")).map(SecretString::from);
        if given.is_some_and(|key| door.owners().is_one(&key)) {
            return Ok(Owner);
        }
        door.guesses().wrong(peer, now);
        Err(Problem::of("unauthorized", "this takes the key of the data folder"))
    }
}

async fn status(State(door): State<Door>, _: Owner) -> Json<ServerStatus> {
    let runs_under_way = engine::under_way(door.ctx());
    let degraded = door.ctx().store.outage().map(|outage| outage.detail);
    Json(ServerStatus { runs_under_way, degraded, stopping: door.stop().is_cancelled() })
}

async fn sign_in(State(door): State<Door>, _: Owner) -> Result<Json<SignInLink>, Problem> {
    Ok(Json(SignInLink { path: door.sign_in_path()? }))
}
