//! `/babyagi/api`: BabyAGI's routes with BabyAGI's shapes, for programs that were written for it. Authority is checked as
//! everywhere; values of secrets are never returned.
//!
//! They are described separately from our own API, because nothing new should be written for them.

mod answers;
mod execute;
mod framework;
mod functions;
mod logs;
mod triggers;

use utoipa_axum::router::OpenApiRouter;

use super::state::Door;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().nest(
        "/babyagi/api",
        OpenApiRouter::new()
            .merge(functions::routes())
            .merge(execute::routes())
            .merge(logs::routes())
            .merge(triggers::routes()),
    )
}
