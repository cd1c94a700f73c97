//! The caller: the Token of a request, from its `Authorization`, or the Session of a browser, from its cookie. Neither is
//! accepted in place of the other.

use std::future::Future;
use std::net::IpAddr;
use std::time::Duration;

use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use model::access::Access;
use model::access::actor::Actor;
use secrecy::SecretString;
use uuid::Uuid;

use super::cookie;
use super::in_process::Insider;
use crate::app::{sessions, tokens};
use crate::ctx::Ctx;
use crate::error::Error;
use crate::http::edge::proxies::is_https;
use crate::http::edge::request_log::RequestActor;
use crate::http::problem::Problem;
use crate::http::state::Door;

/// Where a connection comes from.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// How often it is looked whether someone who goes on listening still may.
const LOOK: Duration = Duration::from_secs(5);

/// Someone with a valid Token or Session. What they may do is judged by [`Allowed`](super::authorization::Allowed), which handlers take.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    access: Access,
    credential: Credential,
}

/// What a caller showed.
#[derive(Clone, Debug)]
enum Credential {
    /// The key of the data folder, which is valid while the server runs; or none, for requests from this process.
    Owner,
    Token(SecretString),
    Session(SecretString),
}

impl Credential {
    /// What the head of a request shows. A request that has an `Authorization` is not one of a browser.
    fn shown(parts: &Parts) -> Option<Credential> {
        if parts.headers.contains_key(header::AUTHORIZATION) {
            return bearer(&parts.headers).map(Credential::Token);
        }
        cookie::session(&parts.headers, is_https(&parts.extensions)).map(Credential::Session)
    }

    /// Who it is of and what they may do, unless it has ended.
    async fn recognise(&self, ctx: &Ctx) -> Result<Option<(Uuid, Access)>, Error> {
        Ok(match self {
            Credential::Owner => Some((Uuid::nil(), Access::of_command_line())),
            Credential::Token(text) => {
                let token = tokens::recognise(ctx, text).await?;
                token.map(|token| (token.token_id.0, Access::of_token(token)))
            }
            Credential::Session(text) => {
                let session = sessions::recognise(ctx, text).await?;
                session.map(|session| (session.session_id.0, Access::of_session(session)))
            }
        })
    }
}

impl Caller {
    pub(crate) fn actor(&self) -> &Actor {
        &self.access.actor
    }

    pub(crate) fn access(&self) -> &Access {
        &self.access
    }

    fn owner() -> Caller {
        Caller { access: Access::of_command_line(), credential: Credential::Owner }
    }

    /// Who sent this request.
    pub(crate) async fn of(parts: &Parts, door: &Door) -> Result<Caller, Problem> {
        if parts.extensions.get::<Insider>().is_some() {
            return Ok(Caller::owner());
        }
        let credential = Credential::shown(parts).ok_or_else(unknown)?;
        if let Credential::Token(text) = &credential
            && door.owners().is_one(text)
        {
            return Ok(Caller::owner());
        }
        let peer = parts.extensions.get::<Peer>().map(|peer| peer.0);
        let (guesses, now) = (door.guesses(), door.ctx().clock.now());
        let Some((id, access)) = credential.recognise(door.ctx()).await? else {
            guesses.check(peer, now)?;
            guesses.wrong(peer, now);
            return Err(unknown());
        };
        guesses.check_right(peer, id, now)?;
        if let Some(request_actor) = parts.extensions.get::<RequestActor>() {
            request_actor.is(&access.actor);
        }
        Ok(Caller { access, credential })
    }

    /// Returns when the Token or the Session is no longer valid, a few seconds late at most.
    pub(crate) fn lapsed(&self, ctx: &Ctx) -> impl Future<Output = ()> + Send + 'static {
        let (credential, ctx) = (self.credential.clone(), ctx.clone());
        async move {
            if matches!(credential, Credential::Owner) {
                return std::future::pending().await;
            }
            loop {
                ctx.clock.wait_until(ctx.clock.now() + LOOK).await;
                // A database that cannot be asked says nothing of it.
                if matches!(credential.recognise(&ctx).await, Ok(None)) {
                    return;
                }
            }
        }
    }
}

pub(crate) fn unknown() -> Problem {
    Problem::of("unauthorized", "a valid token is required")
        .hint("send `Authorization: Bearer TOKEN`; `selfmade token add` creates one, and the link that `selfmade serve` prints signs in a browser")
}

fn bearer(headers: &HeaderMap) -> Option<SecretString> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| SecretString::from(token.trim().to_owned()))
}

/// What tells one caller from another before anyone has looked whether it is valid.
pub(crate) fn shown_text(parts: &HeaderMap) -> Option<SecretString> {
    bearer(parts).or_else(|| cookie::session(parts, true))
}
