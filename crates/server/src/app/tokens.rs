//! Tokens: shown once when they are created, stored as a hash, found by it.

use jiff::Timestamp;
use model::access::Access;
use model::access::grantable::Grantable;
use model::access::scope::Scope;
use model::access::token::{Token, TokenRole};
use model::access::verb::Verb;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::ctx::Ctx;
use crate::error::Error;
use crate::secrets::seal::SealError;

/// Marks the text as ours, for people and for scanners that look for leaked credentials.
const PREFIX: &str = "selfmade_";

/// What a new Token may do.
#[derive(Clone, Debug)]
pub struct NewToken {
    pub name: String,
    pub role: TokenRole,
    pub patterns: Vec<String>,
    /// Patterns of other names that its functions may call.
    pub uses: Vec<String>,
    /// What its functions may be granted. Unless it is said, a Token for all names may give everything, one with patterns
    /// nothing.
    pub grants: Option<Grantable>,
    pub expires_at: Option<Timestamp>,
}

/// Makes a Token and answers its text, which cannot be had again.
pub async fn add(ctx: &Ctx, access: &Access, new: NewToken) -> Result<(Token, SecretString), Error> {
    access.may_touch_all(Verb::ManageTokens)?;
    check(&new)?;
    let text = format!("{PREFIX}{}", hex::encode(ctx.ids.random_bytes::<32>().map_err(SealError::NoChance)?));
    let token = Token {
        token_id: ctx.ids.token(),
        name: new.name,
        role: new.role,
        grants: new.grants.unwrap_or_else(|| usual_grants(&new.patterns)),
        patterns: new.patterns,
        uses: new.uses,
        created_at: ctx.clock.now(),
        created_by: access.actor.clone(),
        expires_at: new.expires_at,
    };
    let audit = ctx.audit(&access.actor, "token.add", &token.name, json!({ "role": token.role }));
    match ctx.store.add_token(&token, &hash(&text), &audit).await {
        Ok(()) => Ok((token, text.into())),
        Err(store::Error::Unique { .. }) => Err(Error::Taken { noun: "token", name: token.name }),
        Err(error) => Err(error.into()),
    }
}

pub async fn list(ctx: &Ctx, access: &Access) -> Result<Vec<Token>, Error> {
    access.may_touch_all(Verb::ManageTokens)?;
    Ok(ctx.store.tokens().await?)
}

pub async fn remove(ctx: &Ctx, access: &Access, name: &str) -> Result<(), Error> {
    access.may_touch_all(Verb::ManageTokens)?;
    let audit = ctx.audit(&access.actor, "token.remove", name, json!({}));
    if ctx.store.remove_token(name, &audit).await? {
        Ok(())
    } else {
        Err(Error::Absent { noun: "token", name: name.to_owned() })
    }
}

/// The Token a text belongs to, unless it has expired. The text is looked up by its hash, so how long that takes tells
/// nothing of other tokens.
pub async fn recognise(ctx: &Ctx, text: &SecretString) -> Result<Option<Token>, Error> {
    let token = ctx.store.token_by_hash(&hash(text.expose_secret())).await?;
    Ok(token.filter(|token| token.expires_at.is_none_or(|end| end > ctx.clock.now())))
}

/// A token is 256 random bits, so a fast hash is as safe as a slow one, and is paid on every request.
fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

fn usual_grants(patterns: &[String]) -> Grantable {
    if Scope::of_patterns(patterns.to_vec()).is_all() { Grantable::all() } else { Grantable::none() }
}

fn check(new: &NewToken) -> Result<(), Error> {
    let bad = |problem: String| Error::Input {
        problem,
        hint: "use letters, digits, `.`, `-` and `_`; in patterns also `*`".to_owned(),
    };
    let plain = |text: &str, more: &str| {
        !text.is_empty()
            && text.len() <= model::name::MAX_NAME_BYTES
            && text.chars().all(|c| c.is_alphanumeric() || "._-".contains(c) || more.contains(c))
    };
    if !plain(&new.name, "@") {
        return Err(bad(format!("`{}` is not a valid name for a token", new.name)));
    }
    if !new.uses.is_empty() && Scope::of_patterns(new.patterns.clone()).is_all() {
        return Err(Error::Input {
            problem: "a token that may touch every name may call every function".to_owned(),
            hint: "leave `uses` out, or set `only` to what it may touch".to_owned(),
        });
    }
    match new.patterns.iter().chain(&new.uses).find(|pattern| !plain(pattern, "*")) {
        Some(pattern) => Err(bad(format!("`{pattern}` is not a pattern of names"))),
        None => Ok(()),
    }
}
