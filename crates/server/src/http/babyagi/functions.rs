//! `/functions` and `/function/…`: read, change, activate.

use axum::Json as Body;
use axum::extract::State;
use model::entry::EntryKey;
use model::name::EntryName;
use model::version::VersionNumber;
use serde_json::{Value, json};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answers::{Allowed, Answer, NotDone};
use crate::app::changesets::drafts::{Intent, Proposal};
use crate::app::changesets::{self, Breakage};
use crate::app::functions::{self as entries};
use crate::app::functionz::{functions, stating};
use crate::http::problem::Problem;
use crate::http::request::authorization::{Named, Role, to};
use crate::http::request::caller::Caller;
use crate::http::request::extract::{Json, Path};
use crate::http::state::Door;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new()
        .routes(routes!(all))
        .routes(routes!(show, put, remove))
        .routes(routes!(register))
        .routes(routes!(versions))
        .routes(routes!(activate))
        .routes(routes!(imports))
}

/// All functions, with their code
#[utoipa::path(get, path = "/functions", responses((status = 200, body = Value)))]
async fn all(State(door): State<Door>, caller: Allowed<Role<to::ReadFunctions>>) -> Answer {
    Ok(Body(functions::all(door.ctx(), caller.access()).await?.into()))
}

/// One function
#[utoipa::path(get, path = "/function/{name}", params(("name" = String, Path)), responses((status = 200, body = Value)))]
async fn show(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<String>,
) -> Answer {
    match functions::get(door.ctx(), caller.access(), &name).await? {
        Some(found) => Ok(Body(found)),
        None => Err(absent(&name)),
    }
}

/// Changes what the body states of a function, and nothing else
#[utoipa::path(put, path = "/function/{name}", params(("name" = EntryName, Path)), request_body = Value, responses((status = 200, body = Value)))]
async fn put(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
    Json(body): Json<Value>,
) -> Answer {
    let stated = stated(body)?;
    let proposal = stating::update(door.ctx(), caller.access(), name, stated).await?;
    apply(&door, &caller, &proposal).await
}

/// Registers a function, as the decorator does; not among BabyAGI's own routes
#[utoipa::path(post, path = "/function/{name}/register", params(("name" = EntryName, Path)), request_body = Value, responses((status = 200, body = Value)))]
async fn register(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
    Json(body): Json<Value>,
) -> Answer {
    let stated = stated(body)?;
    let proposal = stating::registration(door.ctx(), caller.access(), name, stated).await?;
    apply(&door, &caller, &proposal).await
}

/// Deletes a function; not among BabyAGI's own routes
#[utoipa::path(delete, path = "/function/{name}", params(("name" = EntryName, Path)), responses((status = 200, body = Value)))]
async fn remove(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
) -> Answer {
    let title = format!("delete {name}");
    let proposal = Proposal::of(title, vec![Intent::Delete(EntryKey::function(name))]);
    apply(&door, &caller, &proposal).await
}

/// All versions of a function; none of one that is not there
#[utoipa::path(get, path = "/function/{name}/versions", params(("name" = String, Path)), responses((status = 200, body = Value)))]
async fn versions(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadFunctions>>,
    Path(name): Path<String>,
) -> Answer {
    Ok(Body(functions::versions(door.ctx(), caller.access(), &name).await?.into()))
}

/// Makes another version active
#[utoipa::path(post, path = "/function/{name}/activate/{version}", params(("name" = EntryName, Path), ("version" = String, Path)), responses((status = 200, body = Value)))]
async fn activate(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path((name, version)): Path<(EntryName, String)>,
) -> Answer {
    let Ok(number) = version.parse::<VersionNumber>() else {
        return Err(NotDone::bad_request(format!("`{version}` is not a version number")));
    };
    activated(&door, &caller, name, number).await
}

pub(super) async fn activated(
    door: &Door,
    caller: &Caller,
    name: EntryName,
    number: VersionNumber,
) -> Answer {
    let applied =
        entries::point(door.ctx(), caller.access(), &EntryKey::function(name), number, Breakage::Refused)
            .await?;
    Ok(Body(json!({ "status": "success", "applied": applied })))
}

/// What all functions import; not among BabyAGI's own routes
#[utoipa::path(get, path = "/imports", responses((status = 200, body = Value)))]
async fn imports(State(door): State<Door>, caller: Allowed<Role<to::ReadFunctions>>) -> Answer {
    Ok(Body(functions::all_imports(door.ctx(), caller.access()).await?.into()))
}

/// What BabyAGI silently ignores is an error, so that a misspelt field is noticed.
pub(super) fn stated(body: Value) -> Result<stating::Stated, NotDone> {
    const FIELDS: [&str; 6] = ["code", "metadata", "imports", "dependencies", "triggers", "key_dependencies"];
    let fields = body.as_object().ok_or_else(|| NotDone::bad_request("the body must be an object"))?;
    if let Some(unknown) = fields.keys().find(|field| !FIELDS.contains(&field.as_str())) {
        let known = FIELDS.join("`, `");
        return Err(NotDone::bad_request(format!("`{unknown}` is not a known field; use `{known}`")));
    }
    if fields.values().all(Value::is_null) {
        return Err(NotDone::bad_request("no `code` is given"));
    }
    serde_json::from_value(body).map_err(|error| NotDone::bad_request(error.to_string()))
}

pub(super) async fn apply(door: &Door, caller: &Caller, proposal: &Proposal) -> Answer {
    let applied = changesets::register(door.ctx(), caller.access(), proposal).await?;
    Ok(Body(json!({ "status": "success", "applied": applied })))
}

fn absent(name: &str) -> NotDone {
    Problem::of("not_found", format!("there is no function `{name}`")).into()
}
