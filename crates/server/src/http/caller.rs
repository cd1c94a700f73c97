//! Who calls: the Token of a request, from its `Authorization` or from the cookie of a browser that has signed in.

use std::net::IpAddr;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use model::access::Access;
use model::actor::Actor;
use secrecy::SecretString;

use super::door::Door;
use super::inside::Insider;
use super::problem::Problem;
use super::requests::Asker;
use crate::app::tokens;
use crate::ctx::Ctx;

pub(super) const COOKIE: &str = "selfmade_token";

/// Where a connection comes from.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// How often somebody who goes on listening is asked for the Token again.
const LOOK: Duration = Duration::from_secs(5);

/// Somebody with a valid Token.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    access: Access,
    /// None for the owner of the data folder, whose key lasts as long as the server.
    token: Option<SecretString>,
}

impl Caller {
    pub(super) fn actor(&self) -> &Actor {
        &self.access.actor
    }

    pub(super) fn access(&self) -> &Access {
        &self.access
    }

    fn owner() -> Caller {
        Caller { access: Access::of_command_line(), token: None }
    }

    /// Returns when the Token is no longer valid, a few seconds late at most.
    pub(super) async fn lapsed(self, ctx: Ctx) {
        let Some(token) = self.token else { return std::future::pending().await };
        loop {
            ctx.clock.wait_until(ctx.clock.now() + LOOK).await;
            // A database that cannot be asked says nothing of the token.
            if matches!(tokens::recognise(&ctx, &token).await, Ok(None)) {
                return;
            }
        }
    }
}

impl FromRequestParts<Door> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Problem> {
        if parts.extensions.get::<Insider>().is_some() {
            return Ok(Caller::owner());
        }
        let peer = parts.extensions.get::<Peer>().map(|peer| peer.0);
        let text = token_text(&parts.headers).ok_or_else(unknown)?;
        if door.owners().is_one(&text) {
            return Ok(Caller::owner());
        }
        let (guesses, now) = (door.guesses(), door.ctx().clock.now());
        match tokens::recognise(door.ctx(), &text).await? {
            Some(token) => {
                guesses.check_token(peer, token.token_id, now)?;
                let access = Access::of_token(token);
                if let Some(asker) = parts.extensions.get::<Asker>() {
                    asker.is(&access.actor);
                }
                Ok(Caller { access, token: Some(text) })
            }
            None => {
                guesses.check(peer, now)?;
                guesses.wrong(peer, now);
                Err(unknown())
            }
        }
    }
}

fn unknown() -> Problem {
    Problem::of("unauthorized", "this takes a valid token")
        .hint("send `Authorization: Bearer TOKEN`; `selfmade token add` makes one, and the link that `selfmade serve` prints signs a browser in")
}

pub(super) fn token_text(headers: &HeaderMap) -> Option<SecretString> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| {
        let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
    });
    bearer.or_else(|| cookie(headers)).map(SecretString::from)
}

/// Whether it is a browser that calls, whose cookie is sent along whoever asked for the request.
pub(super) fn is_by_cookie(headers: &HeaderMap) -> bool {
    !headers.contains_key(header::AUTHORIZATION) && cookie(headers).is_some()
}

fn cookie(headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, value)| value.to_owned())
}
