//! Proxies in front of the server: forwarded addresses are trusted only from configured proxies.

use std::collections::BTreeSet;
use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::{Extensions, HeaderMap, HeaderName};
use axum::middleware::Next;
use axum::response::Response;

use crate::http::request::caller::Peer;
use crate::http::state::Door;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Says that a request came by HTTPS, which a trusted proxy took off.
#[derive(Clone, Copy, Debug)]
struct Https;

/// Whether the client sent this request by HTTPS.
pub(crate) fn is_https(extensions: &Extensions) -> bool {
    extensions.get::<Https>().is_some()
}

/// Puts the client's address in place of a trusted proxy's, and notes whether the client came by HTTPS.
pub(crate) async fn find_client(State(door): State<Door>, mut request: Request, next: Next) -> Response {
    let trusted = &door.config().trusted_proxies;
    if let Some(Peer(peer)) = request.extensions().get::<Peer>().copied() {
        let client = client(peer, request.headers(), trusted);
        let by_https = trusted.contains(&peer) && says_https(request.headers());
        request.extensions_mut().insert(Peer(client));
        if by_https {
            request.extensions_mut().insert(Https);
        }
    }
    next.run(request).await
}

/// Of several values, what the last proxy says counts: it is the one that is trusted.
fn says_https(headers: &HeaderMap) -> bool {
    let last = headers.get_all(FORWARDED_PROTO).into_iter().next_back();
    let last = last.and_then(|value| value.to_str().ok()?.rsplit(',').next());
    last.is_some_and(|scheme| scheme.trim().eq_ignore_ascii_case("https"))
}

/// Each proxy adds the address it was called from at the end. The last that no trusted proxy has is the client's; what
/// stands before it the client may have made up.
fn client(peer: IpAddr, headers: &HeaderMap, trusted: &BTreeSet<IpAddr>) -> IpAddr {
    if !trusted.contains(&peer) {
        return peer;
    }
    let values: Vec<&str> =
        headers.get_all(FORWARDED_FOR).into_iter().filter_map(|value| value.to_str().ok()).collect();
    let hops = values.iter().flat_map(|value| value.split(',')).rev().map(str::trim);
    let mut client = peer;
    for hop in hops {
        // What is no address was not written by a proxy.
        let Ok(hop) = hop.parse() else { break };
        client = hop;
        if !trusted.contains(&hop) {
            break;
        }
    }
    client
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(peer: &str, forwarded: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append(FORWARDED_FOR, value.parse().unwrap());
        }
        let trusted = ["10.0.0.1", "10.0.0.2"].map(|text| text.parse().unwrap()).into();
        client(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn only_a_trusted_proxy_says_for_whom_it_speaks() {
        assert_eq!(seen("192.0.2.9", &["198.51.100.1"]), "192.0.2.9");
        assert_eq!(seen("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(seen("10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn what_the_client_made_up_is_not_believed() {
        assert_eq!(seen("10.0.0.1", &["127.0.0.1, 198.51.100.1, 10.0.0.2"]), "198.51.100.1");
        assert_eq!(seen("10.0.0.1", &["127.0.0.1", "198.51.100.1"]), "198.51.100.1");
        assert_eq!(seen("10.0.0.1", &["198.51.100.1, nonsense"]), "10.0.0.1");
    }

    #[test]
    fn the_last_proxy_says_whether_it_was_https() {
        let said = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(FORWARDED_PROTO, value.parse().unwrap());
            }
            says_https(&headers)
        };
        assert!(said(&["https"]) && said(&["HTTPS"]) && said(&["http, https"]) && said(&["http", "https"]));
        assert!(!said(&[]) && !said(&["http"]) && !said(&["https,http"]) && !said(&["https://x"]));
    }
}
