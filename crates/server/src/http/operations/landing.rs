//! The page at `/`, until there is a dashboard: what this is, and how to sign in.

use axum::http::uri::Authority;
use axum::http::{HeaderMap, header};
use axum::response::{Html, IntoResponse, Response};

const PAGE: &str = include_str!("landing.html");

/// The page brings all it needs, and may load nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

pub(crate) async fn show(headers: HeaderMap) -> Response {
    let page = PAGE.replace("{address}", &address(&headers));
    ([(header::CONTENT_SECURITY_POLICY, POLICY)], Html(page)).into_response()
}

/// Where the reader found us. `origin` has let through names that are ours and plain addresses alone.
fn address(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()?.parse::<Authority>().ok());
    match host.as_ref().map(|host| (host.host(), host.port_u16())) {
        Some((name, Some(port))) => format!("{name}:{port}"),
        Some((name, None)) => name.to_owned(),
        None => "localhost:7333".to_owned(),
    }
}
