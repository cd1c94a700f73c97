//! `/autogpt/api` and `/autogpt/ws`: the routes and messages of AutoGPT's server of 2024 with its shapes, for programs that were
//! written for it. That server asked nobody who they are; here authority is checked as everywhere.
//!
//! They are described separately from our own API, because nothing new should be written for them.

mod answers;
mod blocks;
mod executions;
mod graphs;
mod named;
mod schedules;
mod settings;
mod templates;
mod users;
mod ws;

use utoipa_axum::router::OpenApiRouter;

use super::state::Door;

pub(super) fn routes() -> OpenApiRouter<Door> {
    OpenApiRouter::new().merge(ws::routes()).nest(
        "/autogpt/api",
        OpenApiRouter::new()
            .merge(users::routes())
            .merge(blocks::routes())
            .merge(graphs::routes())
            .merge(templates::routes())
            .merge(executions::routes())
            .merge(schedules::routes())
            .merge(settings::routes()),
    )
}
