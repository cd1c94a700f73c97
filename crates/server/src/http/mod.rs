//! The HTTP API. A request passes `edge`, then `request` finds its caller and checks what the route requires, then a noun's
//! file calls `app` and renders the result as JSON; errors become a [`problem`].
//!
//! Each noun has one file, named as in the URL. Every handler declares what it requires of its caller, which is checked on
//! the head of the request, before its body is read; `access.rs` of the tests proves it for every route.

#![allow(
    unused_qualifications,
    reason = "what describes the routes writes out the paths of types that are used here already"
)]

mod autogpt;
mod babyagi;
mod brain;
mod changesets;
mod edge;
mod entries;
mod events;
mod folder;
mod functions;
mod graphs;
mod models;
mod openapi;
pub(crate) mod operations;
mod packs;
mod presets;
mod problem;
mod request;
mod response_cache;
mod runs;
mod schedules;
mod secrets;
mod sessions;
mod state;
mod streams;
mod tokens;
mod triggers;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use tower_http::compression::CompressionLayer;

pub use self::brain::{BrainView, CallerView};
pub use self::edge::listener::{BindError, Listener, bind, serve};
pub use self::folder::Exported;
pub use self::openapi::{autogpt_document, babyagi_document, document};
pub use self::problem::Cause;
pub use self::request::caller::Peer;
pub use self::request::in_process::Inside;
pub use self::request::paging::Page;
pub use self::request::upload::FileBody;
pub use self::state::{Door, HttpConfig};
pub use self::tokens::Made;

/// Everything that can be asked for.
pub fn router(door: Door) -> Router {
    let routes = if door.config().is_api { api() } else { operations_only() };
    routes
        .merge(operations::control::routes())
        .fallback(problem::no_such_place)
        .method_not_allowed_fallback(problem::no_such_method)
        .layer(DefaultBodyLimit::max(door.config().body_bytes))
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(door.clone(), edge::origin::check))
        .layer(from_fn_with_state(door.clone(), edge::rate_limit::check))
        .layer(from_fn(edge::unread_body::close))
        .layer(from_fn_with_state(door.clone(), edge::request_log::watch))
        .layer(from_fn_with_state(door.clone(), edge::proxies::find_client))
        .layer(from_fn(problem::catch_panics))
        .with_state(door)
}

fn api() -> Router<Door> {
    let (api, _) = openapi::routes().split_for_parts();
    let (babyagi, _) = babyagi::routes().split_for_parts();
    let (autogpt, _) = autogpt::routes().split_for_parts();
    let api = api.layer(from_fn(request::query_names::check));
    api.merge(babyagi).merge(autogpt).route("/", get(operations::landing::show))
}

/// What is asked of a server that does not answer the API.
fn operations_only() -> Router<Door> {
    let (health, _) = operations::health::routes().split_for_parts();
    let (metrics, _) = operations::metrics::routes().split_for_parts();
    Router::new().nest("/api/v1", health).merge(metrics)
}
