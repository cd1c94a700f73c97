//! `/packs`: functions that are loaded together.

use axum::Json as Body;
use axum::extract::State;
use model::access::Need;
use model::pack::Pack;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::door::Door;
use super::extract::Json;
use super::problem::{Problem, Refused};
use crate::app::packs::{self, Load, Loaded, TextFile};

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(list, load))
}

/// Lists packs
#[utoipa::path(get, path = "/packs", tag = "packs", responses((status = 200, body = Vec<Pack>), Refused))]
async fn list(State(door): State<Door>, caller: Caller) -> Result<Body<Vec<Pack>>, Problem> {
    caller.may_touch_all(Need::View)?;
    Ok(Body(packs::list(door.ctx()).await?))
}

/// A file of a pack.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FileBody {
    #[schema(example = "text.py")]
    path: String,
    text: String,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PackBody {
    name: String,
    files: Vec<FileBody>,
    /// What is put before each name, such as `airtable.`.
    #[serde(default)]
    prefix: String,
    /// Whether functions of that name that are there already may be changed.
    #[serde(default)]
    replace: bool,
}

/// Loads a pack
#[utoipa::path(post, path = "/packs", tag = "packs", request_body = PackBody, responses((status = 200, body = Loaded), Refused))]
async fn load(
    State(door): State<Door>,
    caller: Caller,
    Json(body): Json<PackBody>,
) -> Result<Body<Loaded>, Problem> {
    caller.may_touch_all(Need::Build)?;
    let files = body
        .files
        .into_iter()
        .map(|file| TextFile { path: file.path, bytes: file.text.into_bytes() })
        .collect();
    let load = Load {
        origin: "http".to_owned(),
        name: body.name,
        files,
        prefix: body.prefix,
        replace: body.replace,
    };
    Ok(Body(packs::load(door.ctx(), caller.actor(), load).await?))
}
