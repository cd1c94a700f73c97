//! Heads of requests: where one goes, whether it has one reading only, and which headers end at the proxy.

use hyper::HeaderMap;
use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, HOST, HeaderName, HeaderValue, TRANSFER_ENCODING,
};
use hyper::http::request::Parts;

use crate::egress::host::{Host, split_port};
use crate::egress::refusal::Refusal;

/// Headers between two neighbours; all that `Connection` names are so too.
const HOPS: [&str; 9] = [
    "connection",
    "expect",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "http2-settings",
];

/// Headers that ask for a part of something (Apache reads `Request-Range`, too), for what changed in it, or for another alphabet.
const PARTIAL: [&str; 5] = ["range", "if-range", "request-range", "a-im", "accept-charset"];

/// Where a request goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Whether the proxy's own connection to it is by TLS, or the tunnel's.
    pub(crate) tls: bool,
    pub(crate) host: Host,
    pub(crate) port: u16,
}

impl Target {
    /// Reads `host` or `host:port`.
    pub(crate) fn read(authority: &str, tls: bool) -> Result<Target, Refusal> {
        let malformed = Refusal::Malformed { why: "its host is not a plain name or address" };
        let (host, port) = split_port(authority).ok_or(malformed.clone())?;
        let host = Host::read(host).ok_or(malformed)?;
        Ok(Target { tls, host, port: port.unwrap_or(if tls { 443 } else { 80 }) })
    }

    /// What a CONNECT asks for; it must name the port.
    pub(crate) fn of_connect(head: &Parts) -> Result<Target, Refusal> {
        let authority = head.uri.authority().map_or("", |authority| authority.as_str());
        match split_port(authority) {
            Some((_, Some(_))) => Target::read(authority, true),
            _ => Err(Refusal::Malformed { why: "a CONNECT must name host and port" }),
        }
    }

    /// What any other request asks for. Inside a TLS connection that ends at the proxy that is settled before.
    pub(crate) fn of_request(head: &Parts, inside: Option<&Target>) -> Result<Target, Refusal> {
        let named = match (head.uri.scheme_str(), head.uri.authority()) {
            (Some("http"), Some(authority)) => Some(Target::read(authority.as_str(), false)?),
            (Some("https"), Some(authority)) => Some(Target::read(authority.as_str(), true)?),
            (None, None) => None,
            _ => return Err(Refusal::Malformed { why: "its URL is neither http nor https" }),
        };
        match (inside, named) {
            (Some(inside), None) => Ok(inside.clone()),
            (Some(inside), Some(named)) if named == *inside => Ok(named),
            (Some(_), Some(_)) => {
                Err(Refusal::Malformed { why: "its URL names another host than the tunnel" })
            }
            (None, Some(named)) if !named.tls => Ok(named),
            (None, Some(_)) => Err(Refusal::Malformed { why: "https must come through CONNECT" }),
            (None, None) => Err(Refusal::Malformed { why: "a request to a proxy must name the whole URL" }),
        }
    }

    /// As it stands in a `Host` header.
    pub(crate) fn header(&self) -> HeaderValue {
        let usual = if self.tls { 443 } else { 80 };
        let text = match self.port == usual {
            true => self.host.to_string(),
            false => format!("{}:{}", self.host, self.port),
        };
        // A host is made of letters, digits, dots, dashes, colons and brackets.
        HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
    }
}

/// Refuses what the next server could read differently.
pub(crate) fn check(head: &Parts, target: &Target) -> Result<(), Refusal> {
    let malformed = |why| Err(Refusal::Malformed { why });
    if head.headers.get_all(HOST).iter().count() > 1 {
        return malformed("it has more than one Host");
    }
    if let Some(value) = head.headers.get(HOST) {
        let named = value.to_str().ok().and_then(|text| Target::read(text, target.tls).ok());
        if named.as_ref() != Some(target) {
            return malformed("its Host is not the host of its URL");
        }
    }
    let chunked = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"chunked");
    if !head.headers.get_all(TRANSFER_ENCODING).iter().all(chunked) {
        return malformed("its transfer encoding is not chunked");
    }
    Ok(())
}

/// Takes away what must not pass the proxy.
pub(crate) fn strip_hops(headers: &mut HeaderMap) {
    let listed = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let named: Vec<HeaderName> =
        listed.flat_map(|text| text.split(',')).filter_map(|name| name.trim().parse().ok()).collect();
    let ends_here = |name: &HeaderName| {
        HOPS.contains(&name.as_str()) || name.as_str().starts_with("proxy-") || named.contains(name)
    };
    let ending: Vec<HeaderName> = headers.keys().filter(|name| ends_here(name)).cloned().collect();
    for name in ending.into_iter().filter(|name| *name != CONTENT_LENGTH) {
        headers.remove(name);
    }
}

/// For a host whose answers are searched: what is asked for can be.
pub(crate) fn ask_for_the_whole(headers: &mut HeaderMap) {
    for name in PARTIAL {
        headers.remove(name);
    }
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
}

/// How many bytes names and values take.
pub(crate) fn weight(headers: &HeaderMap) -> u64 {
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
