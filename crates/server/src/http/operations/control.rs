//! What the owner of the data folder may ask a running server, with the key that the server wrote there: its state, and
//! another sign-in link. Not part of the API.

use axum::Json;
use axum::Router;
use axum::extract::{FromRequestParts, State};
use axum::http::header;
use axum::http::request::Parts;
use axum::routing::{get, post};
use model::access::Access;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::app::operations::nodes::{self, NodeView};
use crate::app::operations::status;
use crate::http::problem::Problem;
use crate::http::request::caller::Peer;
use crate::http::state::Door;

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
    /// All servers of the brain; empty if the database cannot be read.
    #[serde(default)]
    pub nodes: Vec<NodeView>,
}

/// The path of a link.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SignInLink {
    pub path: String,
}

pub(crate) fn routes() -> Router<Door> {
    Router::new().route(STATUS, get(server_status)).route(SIGN_IN, post(sign_in))
}

/// Someone who has read the key.
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
        Err(Problem::of("unauthorized", "this requires the key in the data folder"))
    }
}

async fn server_status(State(door): State<Door>, _: Owner) -> Json<ServerStatus> {
    let (runs_under_way, degraded) = (status::runs_under_way(door.ctx()), status::degraded(door.ctx()));
    let nodes = nodes::list(door.ctx(), &Access::of_command_line()).await.unwrap_or_default();
    Json(ServerStatus { runs_under_way, degraded, stopping: door.stop().is_cancelled(), nodes })
}

async fn sign_in(State(door): State<Door>, _: Owner) -> Result<Json<SignInLink>, Problem> {
    Ok(Json(SignInLink { path: door.sign_in_path()? }))
}
