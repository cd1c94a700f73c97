//! Sealed secrets: put into requests for their hosts, and redacted of everything that comes back.

pub(crate) mod replace;
pub(crate) mod seal;
pub(crate) mod spelling;
pub(crate) mod strike;
