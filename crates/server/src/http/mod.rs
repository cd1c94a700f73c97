//! The HTTP door. A request goes `listening → requests → origin → needs → a noun's file → app`, and what comes back becomes
//! JSON here; what goes wrong becomes a [`problem`].
//!
//! Nouns have one file each, named as in the address. Every handler states what it [`needs`] of its [`caller`], which is judged by the
//! head of the request, before its body is read; `access.rs` of the tests proves it for every route.

#![allow(
    unused_qualifications,
    reason = "what describes the routes writes out the paths of types that are used here already"
)]

mod babyagi;
mod body_places;
mod brain;
mod caller;
mod changesets;
pub(crate) mod control;
mod cookie;
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
mod needs;
mod openapi;
mod origin;
mod owner;
mod packs;
mod page;
mod problem;
mod prompt;
mod proxies;
mod rates;
mod recent;
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
mod sessions;
mod shown;
mod sign_in;
mod sign_out;
mod socket;
mod spool;
mod sse;
mod telling;
mod tests;
mod tokens;
mod triggers;
mod unread;
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
        .layer(from_fn(unread::close))
        .layer(from_fn_with_state(door.clone(), requests::watch))
        .layer(from_fn_with_state(door.clone(), proxies::look_behind))
        .layer(from_fn(problem::catch_panics))
        .with_state(door)
}
