//! The description of the whole API, made from the handlers themselves.

use std::sync::LazyLock;

use axum::Json;
use axum::extract::State;
use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::COOKIE;
use super::door::Door;
use super::problem::ProblemBody;
use super::{
    changesets, events, functions, health, insights, packs, runs, schedules, search, secrets, sign_in,
    tokens, triggers,
};

#[derive(OpenApi)]
#[openapi(
    info(title = "selfmade", description = "An agent server whose abilities are rows in a database."),
    components(schemas(ProblemBody)),
    modifiers(&Security),
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
        (name = "server", description = "The server itself"),
    )
)]
struct Description;

struct Security;

impl Modify for Security {
    fn modify(&self, document: &mut Document) {
        let components = document.components.get_or_insert_default();
        let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new(COOKIE)));
        components.add_security_scheme("token", token);
        components.add_security_scheme("cookie", cookie);
    }
}

/// All routes with what they say of themselves.
pub(super) fn routes() -> OpenApiRouter<Door> {
    let api = OpenApiRouter::new()
        .merge(functions::routes())
        .merge(changesets::routes())
        .merge(runs::routes())
        .merge(events::routes())
        .merge(triggers::routes())
        .merge(schedules::routes())
        .merge(packs::routes())
        .merge(search::routes())
        .merge(insights::routes())
        .merge(secrets::routes())
        .merge(tokens::routes())
        .merge(health::routes())
        .routes(routes!(show));
    OpenApiRouter::with_openapi(Description::openapi())
        .nest("/api/v1", api)
        .route("/sign-in", axum::routing::get(sign_in::sign_in))
}

/// Made once: it is large, and anybody may ask for it.
static DOCUMENT: LazyLock<Document> = LazyLock::new(|| routes().into_openapi());

/// The description, as it is served and checked in.
pub fn document() -> &'static Document {
    &DOCUMENT
}

/// This description
#[utoipa::path(get, path = "/openapi.json", tag = "server", security(()), responses((status = 200, description = "OpenAPI 3.1", body = serde_json::Value)))]
async fn show(State(_): State<Door>) -> Json<&'static Document> {
    Json(document())
}
