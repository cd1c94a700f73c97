//! Sealed secrets: put into requests for their hosts, and redacted of everything that comes back.

pub(crate) mod redactor;
pub(crate) mod replace;
pub(crate) mod seal;
pub(crate) mod spelling;
