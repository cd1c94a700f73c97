//! Functions of BabyAGI's default pack that only call its framework, and need more than a cell has: keys, logs, versions and
//! triggers. Under their names the verbs are executed here, with the caller's authority.
//!
//! A function of the same name that is not in BabyAGI's form is the user's own, and is run.

use axum::Json as Body;
use model::name::EntryName;
use model::python::Dialect;
use model::version::VersionNumber;
use secrecy::SecretBox;
use serde_json::{Map, Value, json};

use super::answers::NotDone;
use super::functions::{activated, apply, stated};
use super::logs::date;
use super::triggers::added;
use crate::app::functionz::logs::{self, LogFilter};
use crate::app::functionz::{functions, stating};
use crate::app::secrets;
use crate::http::request::caller::Caller;
use crate::http::state::Door;

pub(super) async fn answer(
    door: &Door,
    caller: &Caller,
    name: &EntryName,
    given: &Map<String, Value>,
) -> Result<Option<Body<Value>>, NotDone> {
    let is_one = matches!(
        name.as_str(),
        "add_key_wrapper"
            | "get_all_secret_keys"
            | "get_logs_wrapper"
            | "activate_function_version_wrapper"
            | "add_trigger_wrapper"
            | "add_new_function"
            | "get_all_imports_wrapper"
    );
    if !is_one || is_somebodys_own(door, caller, name).await? {
        return Ok(None);
    }
    let answered = match name.as_str() {
        "add_key_wrapper" => add_key(door, caller, given).await?,
        "get_all_secret_keys" => key_names(door, caller).await?,
        "get_logs_wrapper" => found_logs(door, caller, given).await?,
        "activate_function_version_wrapper" => activate(door, caller, given).await?,
        "add_trigger_wrapper" => add_trigger(door, caller, given).await?,
        "add_new_function" => add_function(door, caller, given).await?,
        _ => functions::all_imports(door.ctx(), caller.access()).await?.into(),
    };
    Ok(Some(Body(answered)))
}

async fn is_somebodys_own(door: &Door, caller: &Caller, name: &EntryName) -> Result<bool, NotDone> {
    Ok(functions::dialect(door.ctx(), caller.access(), name)
        .await?
        .is_some_and(|dialect| dialect != Dialect::Babyagi))
}

async fn add_key(door: &Door, caller: &Caller, given: &Map<String, Value>) -> Result<Value, NotDone> {
    let (name, value) = (text(given, "key_name")?, text(given, "key_value")?);
    let value = SecretBox::new(Box::new(value.as_bytes().to_vec()));
    secrets::set(door.ctx(), caller.access(), name, &value).await?;
    Ok(Value::Null)
}

/// BabyAGI answers the values.
async fn key_names(door: &Door, caller: &Caller) -> Result<Value, NotDone> {
    let secrets = secrets::list(door.ctx(), caller.access()).await?;
    Ok(secrets
        .iter()
        .map(|secret| (secret.name.clone(), format!("[secret {}]", secret.name).into()))
        .collect::<Map<_, _>>()
        .into())
}

async fn found_logs(door: &Door, caller: &Caller, given: &Map<String, Value>) -> Result<Value, NotDone> {
    let filter = LogFilter {
        function: optional(given, "function_name")?.map(str::to_owned),
        since: optional(given, "start_date")?.map(date).transpose()?,
        until: optional(given, "end_date")?.map(date).transpose()?,
        ..LogFilter::default()
    };
    Ok(logs::logs(door.ctx(), caller.access(), &filter).await?.rows.into())
}

async fn activate(door: &Door, caller: &Caller, given: &Map<String, Value>) -> Result<Value, NotDone> {
    let name = name(given, "name")?;
    let number = given.get("version").and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
    let number = number.ok_or_else(|| NotDone::bad_request("`version` must be a version number"))?;
    activated(door, caller, name, VersionNumber(number)).await.map(|_| Value::Null)
}

async fn add_trigger(door: &Door, caller: &Caller, given: &Map<String, Value>) -> Result<Value, NotDone> {
    let name = name(given, "triggered_function_name")?;
    added(door, caller, name, optional(given, "triggering_function_name")?).await.map(|_| Value::Null)
}

async fn add_function(door: &Door, caller: &Caller, given: &Map<String, Value>) -> Result<Value, NotDone> {
    let name = name(given, "name")?;
    let mut rest = given.clone();
    rest.shift_remove("name");
    let proposal = stating::registration(door.ctx(), caller.access(), name, stated(json!(rest))?).await?;
    apply(door, caller, &proposal).await.map(|_| true.into())
}

fn name(given: &Map<String, Value>, field: &str) -> Result<EntryName, NotDone> {
    text(given, field)?.parse().map_err(|error| NotDone::from(crate::error::Error::Name(error)))
}

fn text<'a>(given: &'a Map<String, Value>, field: &str) -> Result<&'a str, NotDone> {
    optional(given, field)?.ok_or_else(|| NotDone::bad_request(format!("`{field}` is required")))
}

/// Text, or a date as Python values are written.
fn optional<'a>(given: &'a Map<String, Value>, field: &str) -> Result<Option<&'a str>, NotDone> {
    match given.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => match other.get("$datetime").and_then(Value::as_str) {
            Some(text) => Ok(Some(text)),
            None => Err(NotDone::bad_request(format!("`{field}` must be a string"))),
        },
    }
}
