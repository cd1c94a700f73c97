//! Sealing secrets, and removing their values from whatever is recorded or sent.

pub mod opening;
pub(crate) mod redaction;
pub(crate) mod redaction_cache;
pub mod seal;
pub(crate) mod sealed_secrets;
