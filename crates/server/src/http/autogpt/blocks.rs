//! `/blocks`: what nodes can place, and executing one by itself.

use std::time::Duration;

use axum::Json as Body;
use axum::extract::State;
use model::run::RunState;
use serde_json::{Map, Value};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answers::{Allowed, Answer, NotDone};
use crate::app::autogpt::blocks::{self, Executed};
use crate::http::problem::Problem;
use crate::http::request::authorization::{Role, to};
use crate::http::request::extract::{Json, Path};
use crate::http::runs::waited;
use crate::http::state::Door;

/// Functions have limits of their own, and this one is far beyond them.
const MAX_WAIT: Duration = Duration::from_secs(3_600);

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(execute))
}

/// All blocks, with the schemas of their pins
#[utoipa::path(get, path = "/blocks", responses((status = 200, body = Value)))]
async fn list(State(door): State<Door>, caller: Allowed<Role<to::ReadFunctions>>) -> Answer {
    Ok(Body(blocks::list(door.ctx(), caller.access()).await?.into()))
}

/// Executes a block by itself and answers what left it, a list for each pin; the body is its input
#[utoipa::path(post, path = "/blocks/{block_id}/execute", params(("block_id" = String, Path)), request_body = Value, responses((status = 200, body = Value)))]
async fn execute(
    State(door): State<Door>,
    caller: Allowed<Role<to::StartRun>>,
    Path(id): Path<String>,
    Json(input): Json<Option<Map<String, Value>>>,
) -> Answer {
    let input = input.unwrap_or_default();
    match blocks::to_execute(door.ctx(), caller.access(), &id, &input).await? {
        None => Err(Problem::of("not_found", format!("there is no block with the id `{id}`")).into()),
        Some(Executed::Outputs(outputs)) => Ok(Body(outputs.into())),
        Some(Executed::Run(to_run)) => {
            let run = waited(&door, &caller, to_run.request(), MAX_WAIT).await?;
            match run.state {
                RunState::Succeeded => Ok(Body(to_run.outputs(run).into())),
                _ => Err(NotDone::failed(&run)),
            }
        }
    }
}
