//! What can be made of a graph to look at: a drawing, an estimate, a list of upgrades.

use axum::Json as Body;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use model::graph::upgrade::Upgrade;
use model::name::EntryName;
use model::version::VersionNumber;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::graphs::drawing::{self, Drawing};
use crate::app::graphs::estimates::{self, GraphEstimate};
use crate::app::graphs::source::GraphSource;
use crate::app::graphs::upgrades;
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Named, to};
use crate::http::request::extract::{Path, Query};
use crate::http::state::Door;

/// As wide as a terminal is at least.
const COLUMNS: u32 = 80;
const MOST_COLUMNS: u32 = 1_000;

/// The texts in a drawing are anybody's. Nothing in it is executed or loaded, wherever it is shown: only its own styles count.
const NOTHING_BUT_STYLES: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
);
const NO_SNIFF: (HeaderName, HeaderValue) =
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(draw)).routes(routes!(estimate)).routes(routes!(list))
}

/// Which content of a graph.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SourceQuery {
    /// This version; the live one if neither is given.
    version: Option<u32>,
    /// The draft.
    #[serde(default)]
    draft: bool,
}

impl SourceQuery {
    pub(super) fn source(&self) -> Result<GraphSource, Problem> {
        match (self.version, self.draft) {
            (None, false) => Ok(GraphSource::Live),
            (Some(number), false) => Ok(GraphSource::Version(VersionNumber(number))),
            (None, true) => Ok(GraphSource::Draft),
            (Some(_), true) => Err(Problem::of("bad_query", "`version` and `draft` cannot be combined")),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum DrawingFormat {
    #[default]
    Svg,
    Text,
}

/// How it is drawn.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct DrawingQuery {
    /// `svg` if absent.
    #[serde(default)]
    #[param(inline, value_type = Option<DrawingFormat>)]
    format: DrawingFormat,
    /// How wide a text may be.
    #[param(minimum = 20, maximum = 1000, default = 80)]
    columns: Option<u32>,
}

/// A picture of a graph
#[utoipa::path(get, path = "/graphs/{name}/drawing", tag = "graphs", params(("name" = EntryName, Path), SourceQuery, DrawingQuery),
    responses((status = 200, description = "As asked for", body = String, content_type = "image/svg+xml"),
        Refused))]
async fn draw(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<EntryName>,
    Query(source): Query<SourceQuery>,
    Query(query): Query<DrawingQuery>,
) -> Result<Response, Problem> {
    let (drawing, content_type) = match query.format {
        DrawingFormat::Svg => (Drawing::Svg, "image/svg+xml"),
        DrawingFormat::Text => {
            let columns = query.columns.unwrap_or(COLUMNS).min(MOST_COLUMNS);
            (Drawing::Text(columns as usize), "text/plain; charset=utf-8")
        }
    };
    let drawn = drawing::draw(door.ctx(), caller.access(), &name, source.source()?, drawing).await?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(content_type)),
        (header::CONTENT_SECURITY_POLICY, NOTHING_BUT_STYLES),
        NO_SNIFF,
    ];
    Ok((headers, drawn).into_response())
}

/// How long a run of a graph will take, as far as recorded runs of what it calls say
///
/// Each node counts once, and as long as usual. Nodes that may run more often, wait for a person or have no recorded runs are listed.
#[utoipa::path(get, path = "/graphs/{name}/estimate", tag = "graphs", params(("name" = EntryName, Path), SourceQuery),
    responses((status = 200, body = GraphEstimate), Refused))]
async fn estimate(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<EntryName>,
    Query(source): Query<SourceQuery>,
) -> Result<Body<GraphEstimate>, Problem> {
    Ok(Body(estimates::estimate(door.ctx(), caller.access(), &name, source.source()?).await?))
}

/// The nodes of a graph that pin an older version than the live one, how the pins differ, and what would no longer fit
///
/// A node moves by a patch of the draft: `{"op": "set_field", "node": ID, "field": "version", "value": LIVE}`.
#[utoipa::path(get, path = "/graphs/{name}/upgrades", tag = "graphs", params(("name" = EntryName, Path), SourceQuery),
    responses((status = 200, body = Vec<Upgrade>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<EntryName>,
    Query(source): Query<SourceQuery>,
) -> Result<Body<Vec<Upgrade>>, Problem> {
    Ok(Body(upgrades::list(door.ctx(), caller.access(), &name, source.source()?).await?))
}
