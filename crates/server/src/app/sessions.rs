//! Sessions of signed-in browsers. Their cookies are stored as hashes and found by them, separately from Tokens.

use jiff::Timestamp;
use model::access::actor::Actor;
use model::access::session::Session;
use model::access::verb::Verb;
use model::access::{Access, Authority};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::ctx::Ctx;
use crate::error::Error;
use crate::secrets::seal::SealError;

/// So much of the id is in the name: enough to tell the browsers of one brain apart.
const NAME_DIGITS: usize = 12;

/// Starts one for the user of a link that this machine's owner had printed, with the owner's authority. Returns what the cookie
/// holds, which cannot be had again.
pub(crate) async fn sign_in(ctx: &Ctx, expires_at: Timestamp) -> Result<(Session, SecretString), Error> {
    let text = hex::encode(ctx.ids.random_bytes::<32>().map_err(SealError::NoChance)?);
    let session_id = ctx.ids.session();
    let digits = session_id.0.simple().to_string();
    let session = Session {
        session_id,
        // The end of an id is chance; its beginning is the time.
        name: format!("browser-{}", &digits[digits.len() - NAME_DIGITS..]),
        // The owner's, so that what is written in one session is not someone else's in the next.
        authority: Authority::of_command_line(),
        created_at: ctx.clock.now(),
        created_by: Actor::CommandLine,
        expires_at,
    };
    let details = json!({ "role": session.authority.role });
    let audit = ctx.audit(&Actor::CommandLine, "session.add", &session.name, details);
    ctx.store.add_session(&session, &hash(&text), &audit).await?;
    Ok((session, text.into()))
}

pub async fn list(ctx: &Ctx, access: &Access) -> Result<Vec<Session>, Error> {
    access.may_touch_all(Verb::ManageSessions)?;
    Ok(ctx.store.sessions(ctx.clock.now()).await?)
}

pub async fn end(ctx: &Ctx, access: &Access, name: &str) -> Result<(), Error> {
    access.may_touch_all(Verb::ManageSessions)?;
    let audit = ctx.audit(&access.actor, "session.remove", name, json!({}));
    if ctx.store.remove_session(name, &audit).await? {
        Ok(())
    } else {
        Err(Error::Absent { noun: "session", name: name.to_owned() })
    }
}

/// A session may always end itself.
pub(crate) async fn sign_out(ctx: &Ctx, session: &Session) -> Result<(), Error> {
    let audit = ctx.audit(&Actor::Session(session.session_id), "session.remove", &session.name, json!({}));
    // Someone else may have ended it just now.
    ctx.store.remove_session(&session.name, &audit).await.map(drop).map_err(Error::from)
}

/// The Session that a cookie is of, unless it is over. It is looked up by its hash, so how long that takes tells nothing of others.
pub(crate) async fn recognise(ctx: &Ctx, text: &SecretString) -> Result<Option<Session>, Error> {
    Ok(ctx.store.session_by_hash(&hash(text.expose_secret()), ctx.clock.now()).await?)
}

/// It is of 256 random bits, so a fast hash is as safe as a slow one, and is paid on every request.
fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}
