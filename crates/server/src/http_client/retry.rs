//! When a request may be sent a second time, and when a server wants it to be.

use std::time::Duration;

use axum::body::Body;
use hyper::body::Body as _;
use hyper::{HeaderMap, Method, Request, header};
use hyper_util::client::legacy;

/// The same request again, if it changes nothing on the server and has no body.
pub(super) fn copy_of_safe(request: &Request<Body>) -> Option<Request<Body>> {
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD) && request.body().is_end_stream();
    if !is_safe {
        return None;
    }
    let mut copy = Request::new(Body::empty());
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.headers_mut() = request.headers().clone();
    Some(copy)
}

/// Whether the connection ended before a byte of the answer came.
pub(super) fn was_closed(error: &legacy::Error) -> bool {
    if error.is_connect() {
        return false;
    }
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        if let Some(error) = cause.downcast_ref::<hyper::Error>()
            && (error.is_incomplete_message() || error.is_closed() || error.is_canceled())
        {
            return true;
        }
        if let Some(error) = cause.downcast_ref::<std::io::Error>() {
            use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
            return matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset);
        }
        next = cause.source();
    }
    false
}

/// How long a server that refused asks to be left alone, where it says so in seconds.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}
