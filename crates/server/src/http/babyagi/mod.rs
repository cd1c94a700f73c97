//! `/babyagi/api`: BabyAGI's routes with BabyAGI's shapes, for programs that were written for it. What may be done by whom is as
//! everywhere; values of secrets never come back.
//!
//! They are described apart from our own API, because nothing new should be written for them.

mod answers;
mod execute;
mod framework;
mod functions;
mod logs;
mod triggers;

use utoipa_axum::router::OpenApiRouter;

use super::door::Door;

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
