//! Who may do what, and what they did: tokens, sessions, secrets, the audit trail, and name patterns in queries.

pub(crate) mod audit;
pub(crate) mod scope;
pub(crate) mod secrets;
pub(crate) mod sessions;
pub(crate) mod tokens;
