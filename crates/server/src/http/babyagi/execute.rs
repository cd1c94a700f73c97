//! `/execute`: runs a function and returns its result.

use std::time::Duration;

use axum::Json as Body;
use axum::extract::State;
use model::name::EntryName;
use model::run::RunState;
use serde_json::{Map, Value};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answers::{Allowed, Answer, NotDone};
use super::framework;
use crate::app::runs::{Input, StartRun, Target};
use crate::http::request::authorization::{Named, to};
use crate::http::request::extract::{Json, Path};
use crate::http::runs::waited;
use crate::http::state::Door;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().routes(routes!(execute))
}

/// BabyAGI's callers wait as long as it takes; functions have limits of their own, and this one is far beyond them.
const MAX_WAIT: Duration = Duration::from_secs(3_600);

/// Runs a function with these arguments and answers what it returned
#[utoipa::path(post, path = "/execute/{name}", params(("name" = EntryName, Path)), request_body = Value, responses((status = 200, body = Value)))]
async fn execute(
    State(door): State<Door>,
    caller: Allowed<Named<to::StartRun>>,
    Path(name): Path<EntryName>,
    Json(body): Json<Option<Map<String, Value>>>,
) -> Answer {
    let body = body.unwrap_or_default();
    if let Some(answer) = framework::answer(&door, &caller, &name, &body).await? {
        return Ok(answer);
    }
    let input = input(&name, body)?;
    let request = StartRun::of(Target::Live(name), input);
    let run = waited(&door, &caller, request, MAX_WAIT).await?;
    match run.state {
        RunState::Succeeded => Ok(Body(run.output.unwrap_or_default())),
        _ => Err(NotDone::failed(&run)),
    }
}

/// The function that runs another takes its arguments apart from its own.
fn input(name: &EntryName, mut body: Map<String, Value>) -> Result<Input, NotDone> {
    if name.as_str() != "execute_function_wrapper" {
        return Ok(body.into());
    }
    let Some(Value::String(inner)) = body.shift_remove("function_name") else {
        return Err(NotDone::bad_request("`function_name` must be the name of a function"));
    };
    let positional = match body.shift_remove("args") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(args)) => args,
        Some(other) => return Err(NotDone::bad_request(format!("`args` must be a list, not `{other}`"))),
    };
    let named = match body.shift_remove("kwargs") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(kwargs)) => kwargs,
        Some(other) => {
            return Err(NotDone::bad_request(format!("`kwargs` must be an object, not `{other}`")));
        }
    };
    Ok(Input { positional: std::iter::once(inner.into()).chain(positional).collect(), named })
}
