//! The HTTP door. A request goes `listening → origin → requests → caller → a noun's file → app`, and what comes back becomes
//! JSON here; what goes wrong becomes a [`problem`].
//!
//! Nouns have one file each, named as in the address. Every handler states what it needs of its [`caller`] before it calls a
//! verb, and `access.rs` of the tests proves it for every route.

#![allow(
    unused_qualifications,
    reason = "what describes the routes writes out the paths of types that are used here already"
)]

mod babyagi;
mod brain;
mod caller;
mod changesets;
pub(crate) mod control;
mod doctor;
mod door;
mod events;
mod extract;
mod feed;
mod folder;
mod functions;
mod guesses;
mod health;
mod hook_body;
mod hooks;
mod inside;
mod insights;
mod landing;
mod listening;
mod live;
mod metrics;
mod openapi;
mod origin;
mod owner;
mod packs;
mod page;
mod problem;
mod prompt;
mod proxies;
mod rates;
mod replay;
mod requests;
mod retention;
mod revisions;
mod run_endings;
mod run_ids;
mod run_live;
mod run_stream;
mod runs;
mod schedules;
mod search;
mod secrets;
mod shown;
mod sign_in;
mod socket;
mod telling;
mod tests;
mod tokens;
mod triggers;
mod upload;
mod warming;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use tower_http::compression::CompressionLayer;

pub use self::brain::{BrainView, CallerView};
pub use self::caller::Peer;
pub use self::door::{Door, HttpConfig};
pub use self::folder::Exported;
pub use self::inside::Inside;
pub use self::listening::{BindError, Listener, bind, serve};
pub use self::openapi::{babyagi_document, document};
pub use self::page::Page;
pub use self::problem::Cause;
pub use self::tokens::Made;
pub use self::upload::FileBody;

/// Everything that can be asked for.
pub fn router(door: Door) -> Router {
    let (api, _) = openapi::routes().split_for_parts();
    let (babyagi, _) = babyagi::routes().split_for_parts();
    api.merge(babyagi)
        .route("/", get(landing::show))
        .merge(control::routes())
        .fallback(problem::no_such_place)
        .method_not_allowed_fallback(problem::no_such_method)
        .layer(DefaultBodyLimit::max(door.config().body_bytes))
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(door.clone(), origin::check))
        .layer(from_fn_with_state(door.clone(), rates::check))
        .layer(from_fn_with_state(door.clone(), requests::watch))
        .layer(from_fn_with_state(door.clone(), proxies::look_behind))
        .layer(from_fn(problem::catch_panics))
        .with_state(door)
}
