//! Proxies before the server: whom they speak for is believed only of those that were named.

use std::collections::BTreeSet;
use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName};
use axum::middleware::Next;
use axum::response::Response;

use super::caller::Peer;
use super::door::Door;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Puts the client's address in place of a trusted proxy's.
pub(super) async fn look_behind(State(door): State<Door>, mut request: Request, next: Next) -> Response {
    let trusted = &door.config().trusted_proxies;
    if let Some(Peer(peer)) = request.extensions().get::<Peer>().copied() {
        let client = client(peer, request.headers(), trusted);
        request.extensions_mut().insert(Peer(client));
    }
    next.run(request).await
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
}
