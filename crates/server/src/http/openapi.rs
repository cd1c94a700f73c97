//! The description of the whole API, made from the handlers themselves.

use std::sync::LazyLock;

use axum::Json;
use axum::extract::State;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{OpenApi as Document, RefOr, Schema};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::cookie;
use super::door::Door;
use super::problem::{ProblemBody, ProblemDetail};
use super::{
    brain, changesets, doctor, events, folder, functions, health, hooks, insights, metrics, packs, replay,
    retention, revisions, run_endings, run_ids, runs, schedules, search, secrets, sessions, sign_in,
    sign_out, tests, tokens, triggers, warming,
};
use crate::app::codes::{ALL, Code};

#[derive(OpenApi)]
#[openapi(
    info(title = "selfmade", description = "An agent server whose abilities are rows in a database."),
    components(schemas(ProblemBody, ProblemDetail)),
    modifiers(&Security, &Codes),
    security(("token" = []), ("cookie" = [])),
    tags(
        (name = "functions", description = "Named pieces of Python, and their versions"),
        (name = "changesets", description = "Transactions for code: the only way the brain changes"),
        (name = "runs", description = "Executions, their records and their streams"),
        (name = "events", description = "Facts, as they happen"),
        (name = "triggers", description = "When an event matches, start a run"),
        (name = "schedules", description = "At these times, start a run"),
        (name = "packs", description = "Functions that are loaded together"),
        (name = "search", description = "Functions by what they do"),
        (name = "insights", description = "How functions do"),
        (name = "secrets", description = "Values that functions may be handed; they never come back"),
        (name = "tokens", description = "Credentials for this API"),
        (name = "sessions", description = "Browsers that have signed in"),
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
        .merge(changesets::routes())
        .merge(revisions::routes())
        .merge(runs::routes())
        .merge(run_ids::routes())
        .merge(run_endings::routes())
        .merge(replay::routes())
        .merge(retention::routes())
        .merge(tests::routes())
        .merge(warming::routes())
        .merge(events::routes())
        .merge(triggers::routes())
        .merge(schedules::routes())
        .merge(packs::routes())
        .merge(search::routes())
        .merge(insights::routes())
        .merge(secrets::routes())
        .merge(tokens::routes())
        .merge(sessions::routes())
        .merge(folder::routes())
        .merge(brain::routes())
        .merge(health::routes())
        .merge(doctor::routes())
        .merge(hooks::routes())
        .routes(routes!(show));
    OpenApiRouter::with_openapi(Description::openapi())
        .nest("/api/v1", api)
        .merge(metrics::routes())
        .route("/sign-in", axum::routing::get(sign_in::sign_in))
        .route("/sign-out", axum::routing::post(sign_out::sign_out))
}

/// Made once: it is large, and anybody may ask for it.
static DOCUMENT: LazyLock<Document> = LazyLock::new(|| routes().into_openapi());

/// The description, as it is served and checked in.
pub fn document() -> &'static Document {
    &DOCUMENT
}

/// BabyAGI's routes. They are kept for what was written for them, and are no part of the description.
pub fn babyagi_document() -> Document {
    super::babyagi::routes().into_openapi()
}

/// This description
#[utoipa::path(get, path = "/openapi.json", tag = "server", security(()), responses((status = 200, description = "OpenAPI 3.1", body = serde_json::Value)))]
async fn show(State(_): State<Door>) -> Json<&'static Document> {
    Json(document())
}
