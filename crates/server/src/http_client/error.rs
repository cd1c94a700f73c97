//! Why a request got no answer, or only a part of one.

use std::time::Duration;

use thiserror::Error;

pub(super) type BoxError = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, Error)]
pub enum HttpError {
    #[error("the URL does not begin with `http://` or `https://` and a host")]
    InvalidUrl,
    /// No request was sent.
    #[error("cannot connect to `{host}`")]
    Connect { host: String, source: BoxError },
    #[error("`{host}` did not answer within {} s", .limit.as_secs_f32())]
    NoAnswer { host: String, limit: Duration },
    /// The server may have received the request, and acted on it.
    #[error("`{host}` closed the connection without a response")]
    Closed { host: String, source: BoxError },
    #[error("`{host}` sent nothing more for {} s", .limit.as_secs_f32())]
    Stalled { host: String, limit: Duration },
    #[error("the response from `{host}` took longer than {} s", .limit.as_secs_f32())]
    TooSlow { host: String, limit: Duration },
    #[error("the response from `{host}` is larger than {limit} bytes")]
    TooLarge { host: String, limit: u64 },
    #[error("the response from `{host}` was cut off")]
    BrokenOff { host: String, source: hyper::Error },
}

impl HttpError {
    pub(super) fn exchange(host: String, error: hyper_util::client::legacy::Error) -> HttpError {
        let is_connect = error.is_connect();
        // The pool's own words add nothing to ours.
        let source: BoxError = match std::error::Error::source(&error) {
            Some(cause) => cause_of(cause).into(),
            None => Box::new(error),
        };
        if is_connect { HttpError::Connect { host, source } } else { HttpError::Closed { host, source } }
    }

    /// The error with what caused it, on one line.
    pub fn in_full(&self) -> String {
        let mut text = self.to_string();
        let mut next = std::error::Error::source(self);
        while let Some(cause) = next {
            text = format!("{text}: {cause}");
            next = cause.source();
        }
        text
    }
}

/// What went wrong, as the innermost error says it.
fn cause_of(error: &(dyn std::error::Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(cause) = innermost.source() {
        innermost = cause;
    }
    innermost.to_string()
}
