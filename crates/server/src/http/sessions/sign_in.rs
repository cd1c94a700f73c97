//! Signing in: a link that works once, printed where the server was started, gives a browser its own Session.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::extract::State;
use axum::http::{Extensions, header};
use axum::response::{IntoResponse, Redirect, Response};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::app::sessions;
use crate::error::Error;
use crate::http::edge::proxies::is_https;
use crate::http::problem::Problem;
use crate::http::request::cookie;
use crate::http::request::extract::Query;
use crate::http::state::Door;
use crate::secrets::seal::SealError;

/// A link that nobody used is no use to a finder of old logs.
const LINK_WORKS: SignedDuration = SignedDuration::from_hours(24);
const SIGNED_IN: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Links that were printed and not used, by the hash of their key.
#[derive(Debug, Default)]
pub(crate) struct SignIns(Mutex<HashMap<[u8; 32], Timestamp>>);

impl SignIns {
    fn add(&self, key: &str, until: Timestamp) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(hash(key), until);
    }

    /// Looked up by its hash, so how long that takes tells nothing of other keys.
    fn take(&self, key: &str, now: Timestamp) -> bool {
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        links.remove(&hash(key)).is_some_and(|until| until > now)
    }
}

fn hash(key: &str) -> [u8; 32] {
    Sha256::digest(key.as_bytes()).into()
}

impl Door {
    /// The path of a link that signs one browser in.
    pub fn sign_in_path(&self) -> Result<String, Error> {
        let ctx = self.ctx();
        let key = hex::encode(ctx.ids.random_bytes::<32>().map_err(SealError::NoChance)?);
        self.sign_ins().add(&key, ctx.clock.now() + LINK_WORKS);
        Ok(format!("/sign-in?key={key}"))
    }
}

#[derive(Deserialize)]
pub(crate) struct Key {
    key: String,
}

/// Gives the browser a Session and sends it to the first page, so that the key is in no history.
pub(crate) async fn sign_in(
    State(door): State<Door>,
    extensions: Extensions,
    Query(key): Query<Key>,
) -> Result<Response, Problem> {
    let ctx = door.ctx();
    let now = ctx.clock.now();
    if !door.sign_ins().take(&key.key, now) {
        return Err(Problem::of("link_used", "this link was already used, or has expired")
            .hint("`selfmade sign-in` prints a new one"));
    }
    let (_, text) = sessions::sign_in(ctx, now + SIGNED_IN).await?;
    let cookie = cookie::given(&text, SIGNED_IN, is_https(&extensions)).ok_or_else(Problem::internal)?;
    let mut response = Redirect::to("/").into_response();
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(response)
}
