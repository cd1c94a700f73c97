//! `/export` and `/import`: the brain as files.

use axum::Json as Body;
use axum::extract::State;
use model::revision::Revision;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::changesets::ForceQuery;
use super::problem::{Problem, Refused};
use super::request::authorization::{Allowed, Whole, to};
use super::request::extract::Query;
use super::request::upload::{FileBody, Upload, files};
use super::state::Door;
use crate::app::changesets::Applied;
use crate::app::folder;
use crate::app::operations::status;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(export)).routes(routes!(import))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ExportQuery {
    /// The brain as it was at this revision; as it is now if absent.
    revision: Option<u64>,
}

/// A brain as files.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct Exported {
    pub revision: Revision,
    pub files: Vec<FileBody>,
}

/// The brain as a folder of files: functions as Python, everything else as JSON
#[utoipa::path(get, path = "/export", tag = "server", params(ExportQuery), responses((status = 200, body = Exported), Refused))]
async fn export(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ExportBrain>>,
    Query(query): Query<ExportQuery>,
) -> Result<Body<Exported>, Problem> {
    let revision = match query.revision {
        Some(revision) => Revision(revision),
        None => status::revision(door.ctx(), caller.access()).await?,
    };
    let files = folder::export(door.ctx(), caller.access(), Some(revision)).await?;
    Ok(Body(Exported { revision, files: files.into_iter().map(FileBody::from).collect() }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ImportBody {
    files: Vec<FileBody>,
    /// Whether what the files do not have is deleted.
    #[serde(default)]
    prune: bool,
}

/// Makes the brain match the files, as one changeset
#[utoipa::path(post, path = "/import", tag = "server", params(ForceQuery), request_body = ImportBody, responses((status = 200, body = Applied), Refused))]
async fn import(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ApplyChangeset>>,
    Query(query): Query<ForceQuery>,
    Upload(body, _place): Upload<ImportBody>,
) -> Result<Body<Applied>, Problem> {
    let files = files(body.files)?;
    Ok(Body(folder::import(door.ctx(), caller.access(), &files, body.prune, query.breakage()).await?))
}
