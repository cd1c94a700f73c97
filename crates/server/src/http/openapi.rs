//! The OpenAPI document of the whole API, generated from the handlers.

use std::sync::LazyLock;

use axum::Json;
use axum::extract::State;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{OpenApi as Document, RefOr, Schema};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{ProblemBody, ProblemDetail};
use super::request::cookie;
use super::state::Door;
use super::{
    brain, changesets, events, folder, functions, graphs, models, operations, packs, presets, runs,
    schedules, secrets, sessions, tokens, triggers,
};
use crate::error::codes::{ALL, Code};

#[derive(OpenApi)]
#[openapi(
    info(title = "selfmade", description = "An agent server whose abilities are rows in a database."),
    components(schemas(ProblemBody, ProblemDetail)),
    modifiers(&Security, &Codes),
    security(("token" = []), ("cookie" = [])),
    tags(
        (name = "functions", description = "Named pieces of Python, and their versions"),
        (name = "graphs", description = "Functions joined pin to pin, their drafts, and what nodes can place"),
        (name = "changesets", description = "Transactions for code: the only way the brain changes"),
        (name = "runs", description = "Executions, their records and their streams"),
        (name = "events", description = "Facts, as they happen"),
        (name = "triggers", description = "When an event matches, start a run"),
        (name = "schedules", description = "At these times, start a run"),
        (name = "packs", description = "Functions that are loaded together"),
        (name = "search", description = "Find functions by name and by what they do"),
        (name = "insights", description = "How functions perform"),
        (name = "models", description = "Language models that functions and agents ask"),
        (name = "secrets", description = "Values for functions; they are never returned"),
        (name = "tokens", description = "Credentials for this API"),
        (name = "sessions", description = "Signed-in browsers"),
        (name = "server", description = "The server itself"),
    )
)]
struct Description;

struct Security;

impl Modify for Security {
    fn modify(&self, document: &mut Document) {
        let components = document.components.get_or_insert_default();
        let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new(cookie::PLAIN)));
        components.add_security_scheme("token", token);
        components.add_security_scheme("cookie", cookie);
    }
}

/// Lists what a refusal can be.
struct Codes;

impl Modify for Codes {
    fn modify(&self, document: &mut Document) {
        let schemas = document.components.get_or_insert_default();
        let detail = schemas.schemas.get_mut("ProblemDetail");
        let Some(RefOr::T(Schema::Object(detail))) = detail else { return };
        let Some(RefOr::T(Schema::Object(code))) = detail.properties.get_mut("code") else { return };
        code.enum_values = Some(ALL.iter().map(|code| code.code.into()).collect());
        let line = |code: &Code| format!("\n* `{}` ({}): {}", code.code, code.status, code.meaning);
        let list: String = ALL.iter().map(line).collect();
        code.description = Some(format!("Stays the same from release to release.\n{list}"));
    }
}

/// All routes with what they say of themselves.
pub(super) fn routes() -> OpenApiRouter<Door> {
    let api = OpenApiRouter::new()
        .merge(functions::routes())
        .merge(graphs::routes())
        .merge(changesets::routes())
        .merge(changesets::revisions::routes())
        .merge(runs::routes())
        .merge(runs::nodes::routes())
        .merge(runs::graph_runs::routes())
        .merge(runs::ids::routes())
        .merge(runs::endings::routes())
        .merge(runs::replay::routes())
        .merge(operations::retention::routes())
        .merge(functions::run_tests::routes())
        .merge(functions::warming::routes())
        .merge(events::routes())
        .merge(triggers::routes())
        .merge(schedules::routes())
        .merge(packs::routes())
        .merge(presets::routes())
        .merge(functions::search::routes())
        .merge(functions::insights::routes())
        .merge(models::routes())
        .merge(secrets::routes())
        .merge(tokens::routes())
        .merge(sessions::routes())
        .merge(folder::routes())
        .merge(brain::routes())
        .merge(operations::attention::routes())
        .merge(operations::health::routes())
        .merge(operations::doctor::routes())
        .merge(operations::nodes::routes())
        .merge(triggers::hooks::routes())
        .routes(routes!(show));
    OpenApiRouter::with_openapi(Description::openapi())
        .nest("/api/v1", api)
        .merge(operations::metrics::routes())
        .route("/sign-in", axum::routing::get(sessions::sign_in::sign_in))
        .route("/sign-out", axum::routing::post(sessions::sign_out::sign_out))
}

/// Made once: it is large, and anyone may ask for it.
static DOCUMENT: LazyLock<Document> = LazyLock::new(|| routes().into_openapi());

/// The description, as it is served and checked in.
pub fn document() -> &'static Document {
    &DOCUMENT
}

/// BabyAGI's routes. They are kept for what was written for them, and are no part of the description.
pub fn babyagi_document() -> Document {
    super::babyagi::routes().into_openapi()
}

/// AutoGPT's routes, which are kept in the same way.
pub fn autogpt_document() -> Document {
    super::autogpt::routes().into_openapi()
}

/// This description
#[utoipa::path(get, path = "/openapi.json", tag = "server", security(()), responses((status = 200, description = "OpenAPI 3.1", body = serde_json::Value)))]
async fn show(State(_): State<Door>) -> Json<&'static Document> {
    Json(document())
}
