//! `/export` and `/import`: the brain as files.

use std::collections::BTreeMap;

use axum::Json as Body;
use axum::extract::State;
use model::revision::Revision;
use model::version::VersionNumber;
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
use crate::app::folder::{self, Import};
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
    /// Which version each file is of, by its path.
    #[serde(default)]
    pub versions: BTreeMap<String, VersionNumber>,
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
    let exported = folder::export(door.ctx(), caller.access(), Some(revision)).await?;
    let files = exported.files.into_iter().map(FileBody::from).collect();
    Ok(Body(Exported { revision, files, versions: exported.versions }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ImportBody {
    files: Vec<FileBody>,
    /// Whether what the files do not have is deleted.
    #[serde(default)]
    prune: bool,
    /// Paths of entries that are deleted.
    #[serde(default)]
    removed: Vec<String>,
    /// What has to be live; otherwise nothing is changed.
    #[serde(default)]
    expected: Vec<ExpectedVersion>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ExpectedVersion {
    /// The path of an entry that is changed or removed.
    path: String,
    /// Absent if the entry has to be absent.
    version: Option<VersionNumber>,
}

/// Makes the brain match the files, as one changeset
#[utoipa::path(post, path = "/import", tag = "server", params(ForceQuery), request_body = ImportBody, responses((status = 200, body = Applied), Refused))]
async fn import(
    State(door): State<Door>,
    caller: Allowed<Whole<to::ApplyChangeset>>,
    Query(query): Query<ForceQuery>,
    Upload(body, _place): Upload<ImportBody>,
) -> Result<Body<Applied>, Problem> {
    let import = Import {
        files: files(body.files)?,
        prune: body.prune,
        removed: body.removed,
        expected: body.expected.into_iter().map(|expected| (expected.path, expected.version)).collect(),
        breakage: query.breakage(),
    };
    Ok(Body(folder::import(door.ctx(), caller.access(), &import).await?))
}
