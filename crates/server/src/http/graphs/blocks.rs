//! `/blocks` and `/callables`: what a node can place, and how it is called.

use axum::Json as Body;
use axum::extract::State;
use model::name::EntryName;
use model::version::VersionNumber;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::graphs::blocks::{self, BuiltinView, CallableView};
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Named, Role, to};
use crate::http::request::extract::{Path, Query};
use crate::http::state::Door;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(builtins)).routes(routes!(callable))
}

/// Lists the built-in blocks with their pins; every function and graph is a block, too
#[utoipa::path(get, path = "/blocks", tag = "graphs", responses((status = 200, body = Vec<BuiltinView>), Refused))]
async fn builtins(
    State(_): State<Door>,
    caller: Allowed<Role<to::ReadFunctions>>,
) -> Result<Body<Vec<BuiltinView>>, Problem> {
    Ok(Body(blocks::builtins(caller.access())?))
}

/// Which version.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct CallableQuery {
    /// The live one if absent.
    version: Option<u32>,
}

/// A function or graph of this name: how it is called, and its pins
#[utoipa::path(get, path = "/callables/{name}", tag = "graphs", params(("name" = EntryName, Path), CallableQuery),
    responses((status = 200, body = CallableView), Refused))]
async fn callable(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<EntryName>,
    Query(query): Query<CallableQuery>,
) -> Result<Body<CallableView>, Problem> {
    let version = query.version.map(VersionNumber);
    Ok(Body(blocks::callable(door.ctx(), caller.access(), &name, version).await?))
}
