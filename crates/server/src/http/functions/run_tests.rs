//! `/tests`: the tests that Functions carry, run in cells.

use axum::Json as Body;
use axum::extract::State;
use model::name::EntryName;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::functions::mutants::{self, MutantReport};
use crate::app::functions::run_tests::{self, TestReport};
use crate::http::problem::{Problem, Refused};
use crate::http::request::authorization::{Allowed, Role, to};
use crate::http::request::extract::Json;
use crate::http::state::Door;

pub(crate) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(run)).routes(routes!(mutate))
}

/// Whose tests.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TestsBody {
    /// All functions if there are none.
    #[serde(default)]
    names: Vec<EntryName>,
    /// Also the functions that call them, directly or indirectly.
    #[serde(default)]
    dependents: bool,
}

/// Runs the tests of functions, without network and secrets, with their mocks
#[utoipa::path(post, path = "/tests", tag = "functions", request_body = TestsBody, responses((status = 200, body = Vec<TestReport>), Refused))]
async fn run(
    State(door): State<Door>,
    caller: Allowed<Role<to::RunTests>>,
    Json(body): Json<TestsBody>,
) -> Result<Body<Vec<TestReport>>, Problem> {
    let mut names = body.names;
    if body.dependents && !names.is_empty() {
        names.extend(run_tests::dependents(door.ctx(), caller.access(), &names).await?);
        names.sort();
        names.dedup();
    }
    Ok(Body(run_tests::run(door.ctx(), caller.access(), &names).await?))
}

/// Of which functions mutants are made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct MutantsBody {
    /// All functions with tests if there are none.
    #[serde(default)]
    names: Vec<EntryName>,
}

/// Runs the tests of functions on copies of them with one mistake each, to see whether they notice
#[utoipa::path(post, path = "/tests/mutants", tag = "functions", request_body = MutantsBody, responses((status = 200, body = Vec<MutantReport>), Refused))]
async fn mutate(
    State(door): State<Door>,
    caller: Allowed<Role<to::RunTests>>,
    Json(body): Json<MutantsBody>,
) -> Result<Body<Vec<MutantReport>>, Problem> {
    Ok(Body(mutants::run(door.ctx(), caller.access(), &body.names).await?))
}
