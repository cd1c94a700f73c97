//! `/packs`: functions that are loaded together.

use axum::Json as Body;
use axum::extract::State;
use model::pack::Pack;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::changesets::ForceQuery;
use super::problem::{Problem, Refused};
use super::request::authorization::{Allowed, Whole, to};
use super::request::extract::Query;
use super::request::upload::{FileBody, Upload, files};
use super::state::Door;
use crate::app::packs::{self, Load, Loaded};

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(list, load))
}

/// Lists packs
#[utoipa::path(get, path = "/packs", tag = "packs", responses((status = 200, body = Vec<Pack>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ReadPacks>>,
) -> Result<Body<Vec<Pack>>, Problem> {
    Ok(Body(packs::list(door.ctx(), caller.access()).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PackBody {
    name: String,
    /// Where it comes from, as it is shown.
    origin: Option<String>,
    files: Vec<FileBody>,
    /// What is put before each name, such as `airtable.`.
    #[serde(default)]
    prefix: String,
    /// Whether functions of that name that are there already may be changed.
    #[serde(default)]
    replace: bool,
}

/// Loads a pack
#[utoipa::path(post, path = "/packs", tag = "packs", params(ForceQuery), request_body = PackBody, responses((status = 200, body = Loaded), Refused))]
async fn load(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ApplyChangeset>>,
    Query(query): Query<ForceQuery>,
    Upload(body, _place): Upload<PackBody>,
) -> Result<Body<Loaded>, Problem> {
    let load = Load {
        origin: body.origin.unwrap_or_else(|| "http".to_owned()),
        name: body.name,
        files: files(body.files)?,
        prefix: body.prefix,
        replace: body.replace,
        breakage: query.breakage(),
    };
    Ok(Body(packs::load(door.ctx(), caller.access(), load).await?))
}
