//! What every request passes before it reaches a handler: connections, proxies, rate limits, origins, the request log.

pub(crate) mod guess_limit;
pub(crate) mod listener;
pub(crate) mod origin;
pub(crate) mod prompt;
pub(crate) mod proxies;
pub(crate) mod rate_limit;
pub(crate) mod request_log;
pub(crate) mod unread_body;
