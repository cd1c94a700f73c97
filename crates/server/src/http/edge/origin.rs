//! Where a request comes from: a page of another site can make a browser call us, by our address or by a name that it
//! pointed here. So only known host names are accepted, and changes authenticated by a cookie must come from our own pages.

use std::collections::BTreeSet;
use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::http::problem::Problem;
use crate::http::request::cookie;
use crate::http::state::Door;

pub(crate) async fn check(State(door): State<Door>, request: Request, next: Next) -> Response {
    match allowed(&request, &door.config().names) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

fn allowed(request: &Request, names: &BTreeSet<String>) -> Result<(), Problem> {
    let host = host(request).ok_or_else(|| Problem::bad_request("the request has no valid `Host`"))?;
    if !is_ours(&host, names) {
        return Err(Problem::of(
            "unknown_host",
            format!("this server does not accept the host name `{}`", host.host()),
        )
        .hint("allow it with `selfmade serve --name`"));
    }
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let headers = request.headers();
    // A token that a program sends is never sent by someone else's page.
    if (changes || is_upgrade(headers)) && cookie::is_sent(headers) && !is_same_origin(headers, &host) {
        return Err(Problem::of("foreign_origin", "this came from a page of another origin")
            .hint("programs send `Authorization: Bearer TOKEN` instead of a cookie"));
    }
    Ok(())
}

fn host(request: &Request) -> Option<Authority> {
    let named = request.headers().get(header::HOST).and_then(|value| value.to_str().ok()?.parse().ok());
    request.uri().authority().cloned().or(named)
}

/// A plain address cannot be made to point elsewhere.
fn is_ours(host: &Authority, names: &BTreeSet<String>) -> bool {
    let name = host.host().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    name == "localhost" || name.parse::<IpAddr>().is_ok() || names.contains(&name)
}

fn is_upgrade(headers: &HeaderMap) -> bool {
    headers.contains_key(header::UPGRADE)
}

/// Browsers say where a request comes from whenever it changes something.
fn is_same_origin(headers: &HeaderMap, host: &Authority) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return false };
    let origin = origin.to_str().ok().and_then(|text| text.split_once("://"));
    origin.is_some_and(|(_, authority)| authority.eq_ignore_ascii_case(host.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    fn request(method: &str, headers: &[(&str, &str)]) -> Request {
        let mut request = Request::builder().method(method).uri("/api/v1/runs");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(Body::empty()).unwrap()
    }

    fn is_allowed(method: &str, headers: &[(&str, &str)]) -> bool {
        let names = BTreeSet::from(["brain.example".to_owned()]);
        allowed(&request(method, headers), &names).is_ok()
    }

    #[test]
    fn a_name_that_is_not_ours_is_refused() {
        for host in [
            "localhost",
            "localhost:7333",
            "127.0.0.1:7333",
            "[::1]:7333",
            "10.0.0.5",
            "brain.example",
            "Brain.Example:80",
        ] {
            assert!(is_allowed("GET", &[("host", host)]), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:7333", "127.0.0.1.evil.example", ""] {
            assert!(!is_allowed("GET", &[("host", host)]), "{host}");
        }
        assert!(!is_allowed("GET", &[]));
    }

    #[test]
    fn a_cookie_changes_nothing_from_another_origin() {
        for name in ["selfmade_session", "__Host-selfmade_session"] {
            cookie_changes_nothing_from_another_origin(&format!("a=b; {name}=x"));
        }
    }

    fn cookie_changes_nothing_from_another_origin(cookie: &str) {
        let (host, cookie) = (("host", "localhost:7333"), ("cookie", cookie));
        assert!(is_allowed("POST", &[host, cookie, ("origin", "http://localhost:7333")]));
        assert!(!is_allowed("POST", &[host, cookie, ("origin", "http://evil.example")]));
        assert!(!is_allowed("POST", &[host, cookie, ("origin", "http://localhost:8080")]));
        assert!(!is_allowed("POST", &[host, cookie, ("origin", "null")]));
        assert!(!is_allowed("DELETE", &[host, cookie]));
        assert!(!is_allowed(
            "GET",
            &[host, cookie, ("upgrade", "websocket"), ("origin", "http://evil.example")]
        ));
        assert!(
            is_allowed("GET", &[host, cookie, ("origin", "http://evil.example")]),
            "its page cannot read it"
        );
        assert!(is_allowed(
            "POST",
            &[host, ("authorization", "Bearer x"), ("origin", "http://evil.example")]
        ));
    }
}
