//! The HTTP door. A request goes `listening → origin → requests → caller → a noun's file → app`, and what comes back becomes
//! JSON here; what goes wrong becomes a [`problem`].
//!
//! Nouns have one file each, named as in the address. Every handler states what it needs of its [`caller`] before it calls a
//! verb, and `access.rs` of the tests proves it for every route.

#![allow(
    unused_qualifications,
    reason = "what describes the routes writes out the paths of types that are used here already"
)]

mod caller;
mod changesets;
mod door;
mod events;
mod extract;
mod feed;
mod functions;
mod guesses;
mod health;
mod insights;
mod landing;
mod listening;
mod openapi;
mod origin;
mod packs;
mod page;
mod problem;
mod requests;
mod run_stream;
mod runs;
mod schedules;
mod search;
mod secrets;
mod sign_in;
mod tokens;
mod triggers;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use tower_http::compression::CompressionLayer;

pub use self::caller::Peer;
pub use self::door::{Door, HttpConfig};
pub use self::listening::{BindError, Listener, bind, serve};
pub use self::openapi::document;

/// Everything that can be asked for.
pub fn router(door: Door) -> Router {
    let (api, _) = openapi::routes().split_for_parts();
    api.route("/", get(landing::show))
        .fallback(problem::no_such_place)
        .method_not_allowed_fallback(problem::no_such_method)
        .layer(DefaultBodyLimit::max(door.config().body_bytes))
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(door.clone(), origin::check))
        .layer(from_fn_with_state(door.clone(), requests::watch))
        .layer(from_fn(problem::catch_panics))
        .with_state(door)
}
