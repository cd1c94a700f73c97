//! Opening sealed secrets, with the key of this brain.

use model::access::secret::Secret;
use secrecy::SecretBox;

use super::seal::{SealError, SealingKey};
use crate::ctx::Ctx;
use crate::error::Error;

/// The name under which a known text is sealed, so that a wrong key is noticed before anything is sealed with it.
const KEY_CHECK: &str = "secrets_key_check";

/// The value, for whoever runs functions that were granted it.
pub async fn open(ctx: &Ctx, name: &str) -> Result<SecretBox<Vec<u8>>, Error> {
    open_known(ctx, name).await.map(|(_, value)| value)
}

/// The value, with what is known of it.
pub(crate) async fn open_known(ctx: &Ctx, name: &str) -> Result<(Secret, SecretBox<Vec<u8>>), Error> {
    let absent = || Error::Absent { noun: "secret", name: name.to_owned() };
    let stored = ctx.store.sealed_secret(name).await?.ok_or_else(absent)?;
    let value = key(ctx).await?.open(name, &stored.sealed)?;
    Ok((stored.secret, value))
}

/// The key of this brain. One that does not belong to it is refused; a lost one is not silently replaced.
pub(crate) async fn key(ctx: &Ctx) -> Result<SealingKey, Error> {
    let check = ctx.store.fact(KEY_CHECK).await?;
    let key = match check {
        Some(_) => ctx.keys.existing()?.ok_or_else(|| ctx.keys.missing())?,
        None => ctx.keys.existing_or_new(&ctx.ids)?,
    };
    let check = match check {
        Some(check) => check,
        None => {
            let fresh = hex::encode(key.seal(KEY_CHECK, KEY_CHECK.as_bytes(), &ctx.ids)?);
            ctx.store.fact_or(KEY_CHECK, &fresh).await?
        }
    };
    let sealed = hex::decode(check).map_err(|_| SealError::WrongKey)?;
    key.open(KEY_CHECK, &sealed)?;
    Ok(key)
}
