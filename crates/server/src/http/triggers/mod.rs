//! `/triggers`: add, enable, disable, show, and try on past events.

pub(crate) mod hook_body;
pub(crate) mod hooks;

use axum::Json as Body;
use axum::extract::State;
use jiff::{SignedDuration, Timestamp};
use model::event::EventKind;
use model::name::EntryName;
use model::trigger::TriggerContent;
use serde::Deserialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Refused};
use super::request::authorization::{Allowed, Named, Role, to};
use super::request::extract::{Json, Path, Query};
use super::request::paging::{List, Page, PageQuery};
use super::request::query::{Limit, time};
use super::state::Door;
use crate::app::changesets::Applied;
use crate::app::triggers::{self, FiringLine, Rehearsal, Trial, TriggerLine, TriggerView};

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show, put, remove))
        .routes(routes!(enable))
        .routes(routes!(disable))
        .routes(routes!(firings))
        .routes(routes!(dry_run))
        .routes(routes!(trial))
}

/// What a dry run looks at unless told otherwise.
const A_DAY: SignedDuration = SignedDuration::from_hours(24);

/// Lists triggers by name
#[utoipa::path(get, path = "/triggers", tag = "triggers", params(PageQuery), responses((status = 200, body = Page<TriggerLine>), Refused))]
async fn list(
    State(door): State<Door>,
    caller: Allowed<Role<to::ReadTriggers>>,
    Query(query): Query<PageQuery>,
) -> Result<Body<Page<TriggerLine>>, Problem> {
    let limit = query.limit();
    let after = query.after(List::Triggers)?;
    let page = triggers::list(door.ctx(), caller.access(), after.as_deref(), limit).await?;
    Ok(Body(List::Triggers.page(page.triggers, page.next)))
}

/// One trigger, with its last firings
#[utoipa::path(get, path = "/triggers/{name}", tag = "triggers", params(("name" = EntryName, Path)), responses((status = 200, body = TriggerView), Refused))]
async fn show(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadTriggers>>,
    Path(name): Path<EntryName>,
) -> Result<Body<TriggerView>, Problem> {
    Ok(Body(triggers::show(door.ctx(), caller.access(), &name).await?))
}

/// Adds a trigger, or replaces the one with that name
#[utoipa::path(put, path = "/triggers/{name}", tag = "triggers", params(("name" = EntryName, Path)), request_body = TriggerContent, responses((status = 200, body = Applied), Refused))]
async fn put(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
    Json(content): Json<TriggerContent>,
) -> Result<Body<Applied>, Problem> {
    Ok(Body(triggers::put(door.ctx(), caller.access(), name, content).await?))
}

/// Deletes a trigger
#[utoipa::path(delete, path = "/triggers/{name}", tag = "triggers", params(("name" = EntryName, Path)), responses((status = 200, body = Applied), Refused))]
async fn remove(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
) -> Result<Body<Applied>, Problem> {
    Ok(Body(triggers::remove(door.ctx(), caller.access(), name).await?))
}

/// Enables a trigger, for events from now on
#[utoipa::path(post, path = "/triggers/{name}/enable", tag = "triggers", params(("name" = EntryName, Path)), responses((status = 200, body = Applied), Refused))]
async fn enable(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
) -> Result<Body<Applied>, Problem> {
    Ok(Body(triggers::switch(door.ctx(), caller.access(), name, true).await?))
}

/// Disables a trigger
#[utoipa::path(post, path = "/triggers/{name}/disable", tag = "triggers", params(("name" = EntryName, Path)), responses((status = 200, body = Applied), Refused))]
async fn disable(
    State(door): State<Door>,
    caller: Allowed<Named<to::ApplyChangeset>>,
    Path(name): Path<EntryName>,
) -> Result<Body<Applied>, Problem> {
    Ok(Body(triggers::switch(door.ctx(), caller.access(), name, false).await?))
}

/// Which firings.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct FiringsQuery {
    /// `next` of the previous page.
    cursor: Option<String>,
    /// Only firings for events before this one; `cursor` takes precedence.
    before: Option<u64>,
    /// The maximum number of items, up to 1,000.
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000, default = 100)]
    limit: Limit,
}

/// The firings of a trigger, and what stopped it, newest first
#[utoipa::path(get, path = "/triggers/{name}/firings", tag = "triggers", params(("name" = EntryName, Path), FiringsQuery), responses((status = 200, body = Page<FiringLine>), Refused))]
async fn firings(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadTriggers>>,
    Path(name): Path<EntryName>,
    Query(query): Query<FiringsQuery>,
) -> Result<Body<Page<FiringLine>>, Problem> {
    let before = List::Firings.begin(query.cursor.as_deref(), query.before)?;
    let page = triggers::firings(
        door.ctx(),
        caller.access(),
        &name,
        before.map(|seq: u64| seq.min(i64::MAX as u64)),
        query.limit.get(),
    )
    .await?;
    Ok(Body(List::Firings.page(page.firings, page.next)))
}

/// Since when.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct DryRunQuery {
    /// Events since then; the last day if absent.
    #[serde(default, deserialize_with = "time")]
    since: Option<Timestamp>,
}

/// What a trigger would have fired on
#[utoipa::path(get, path = "/triggers/{name}/dry-run", tag = "triggers", params(("name" = EntryName, Path), DryRunQuery), responses((status = 200, body = Rehearsal), Refused))]
async fn dry_run(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadTriggers>>,
    Path(name): Path<EntryName>,
    Query(query): Query<DryRunQuery>,
) -> Result<Body<Rehearsal>, Problem> {
    let since = query.since.unwrap_or_else(|| door.ctx().clock.now() - A_DAY);
    let content = triggers::content(door.ctx(), caller.access(), &name).await?;
    Ok(Body(triggers::dry_run(door.ctx(), caller.access(), &content, since).await?))
}

/// The event that a trigger is tried with.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum TrialBody {
    /// One that happened.
    Event { seq: u64 },
    /// One that did not.
    MadeUp {
        kind: EventKind,
        #[serde(default)]
        source: String,
        #[serde(default)]
        data: Value,
    },
}

/// What a trigger would do with one event if it were enabled; nothing is run
#[utoipa::path(post, path = "/triggers/{name}/trial", tag = "triggers", params(("name" = EntryName, Path)), request_body = TrialBody, responses((status = 200, body = Trial), Refused))]
async fn trial(
    State(door): State<Door>,
    caller: Allowed<Named<to::ReadTriggers>>,
    Path(name): Path<EntryName>,
    Json(body): Json<TrialBody>,
) -> Result<Body<Trial>, Problem> {
    let content = triggers::content(door.ctx(), caller.access(), &name).await?;
    let event = match body {
        TrialBody::Event { seq } => triggers::event(door.ctx(), caller.access(), seq).await?,
        TrialBody::MadeUp { kind, source, data } => {
            triggers::made_up(door.ctx(), caller.access(), kind, source, data)
        }
    };
    Ok(Body(triggers::trial(door.ctx(), caller.access(), &content, &event).await?))
}
