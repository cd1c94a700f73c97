//! `/graphs/import` and `/graphs/{name}/export`: graph files, ours and those of AutoGPT.

use axum::Json as Body;
use axum::extract::State;
use model::graph::exchange::Format;
use model::name::EntryName;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::views::SourceQuery;
use crate::app::changesets::Breakage;
use crate::app::graphs::exchange::{self, GraphExported, GraphImport, GraphsImported, ImportMode};
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Named, Role, to};
use crate::http::request::extract::{Path, Query};
use crate::http::request::upload::UploadedBytes;
use crate::http::state::Door;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(import)).routes(routes!(export))
}

/// What is to become of a file.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ImportQuery {
    /// What the main graph is called, instead of what the file says.
    name: Option<EntryName>,
    /// What it is called if the file does not say it, such as the name of the file.
    unnamed: Option<EntryName>,
    /// What the change is for.
    title: Option<String>,
    /// Leaves the graphs as drafts.
    #[serde(default)]
    draft: bool,
    /// Changes nothing, and says what would become of the file.
    #[serde(default)]
    dry_run: bool,
    /// Applies it even if stored callers, triggers, schedules or graphs no longer fit.
    #[serde(default)]
    force: bool,
}

impl ImportQuery {
    fn mode(&self) -> Result<ImportMode, Problem> {
        match (self.draft, self.dry_run, self.force) {
            (false, false, force) => {
                Ok(ImportMode::Apply(if force { Breakage::Accepted } else { Breakage::Refused }))
            }
            (true, false, false) => Ok(ImportMode::Draft),
            (false, true, false) => Ok(ImportMode::DryRun),
            _ => Err(Problem::of("bad_query", "`draft`, `dry_run` and `force` cannot be combined")),
        }
    }
}

/// Adds the graphs of a file: one of selfmade, or an agent of AutoGPT
///
/// The body is the file as it is. All its graphs are applied as one changeset. A block that is not available becomes a placeholder,
/// and the report says what could not be taken over as it is written.
#[utoipa::path(post, path = "/graphs/import", tag = "graphs", params(ImportQuery), request_body = serde_json::Value,
    responses((status = 200, body = GraphsImported), Refused))]
async fn import(
    State(door): State<Door>,
    caller: Allowed<Role<to::ProposeChangeset>>,
    Query(query): Query<ImportQuery>,
    UploadedBytes(file, _place): UploadedBytes,
) -> Result<Body<GraphsImported>, Problem> {
    let mode = query.mode()?;
    let ImportQuery { name, unnamed, title, .. } = query;
    let import = GraphImport { file, name, unnamed, title, mode };
    Ok(Body(exchange::import(door.ctx(), caller.access(), import).await?))
}

/// How it is written.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct FormatQuery {
    /// `selfmade` if absent.
    format: Option<Format>,
}

/// A graph as a file, with those that it calls; secrets are left out
///
/// `file` of the response is the file, `notes` say what it cannot say.
#[utoipa::path(get, path = "/graphs/{name}/export", tag = "graphs", params(("name" = EntryName, Path), SourceQuery, FormatQuery),
    responses((status = 200, body = GraphExported), Refused))]
async fn export(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<EntryName>,
    Query(source): Query<SourceQuery>,
    Query(query): Query<FormatQuery>,
) -> Result<Body<GraphExported>, Problem> {
    let format = query.format.unwrap_or(Format::Selfmade);
    Ok(Body(exchange::export(door.ctx(), caller.access(), &name, source.source()?, format).await?))
}
