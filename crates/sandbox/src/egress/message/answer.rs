//! Heads of answers: what the cell gets of one, and whether what follows can be searched for secrets.

use std::sync::Arc;

use hyper::header::{
    ACCEPT_RANGES, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
};
use hyper::http::response::Parts;
use hyper::{Method, StatusCode};

use super::coding::{Coding, is_transferred_plainly};
use super::head;
use crate::egress::sealed::redactor::Redactor;

/// In these a secret is not made of the bytes that are looked for.
const OTHER_ALPHABETS: [&str; 8] =
    ["utf-16", "utf16", "utf-32", "utf-7", "ucs-", "iso-10646", "ebcdic", "ibm"];

/// Makes the head what the cell gets and says how the body is coded, or says why the answer cannot be passed on.
pub(crate) fn make_fit(
    head: &mut Parts,
    method: &Method,
    redactor: Option<&Arc<Redactor>>,
) -> Result<Coding, &'static str> {
    if head.status == StatusCode::SWITCHING_PROTOCOLS {
        return Err("it switched protocols without a request to do so");
    }
    if !is_transferred_plainly(&head.headers) {
        return Err("it has a transfer encoding other than `chunked`, which was not requested");
    }
    head::strip_hops(&mut head.headers);
    // A reason may echo anything; the number says the same.
    head.extensions = Default::default();
    let Some(redactor) = redactor else { return Ok(Coding::Plain) };
    check_searchable(head)?;
    redact_headers(&mut head.headers, redactor);
    head.headers.remove(ACCEPT_RANGES);
    if method == Method::HEAD {
        return Ok(Coding::Plain);
    }
    let coding = Coding::of(&head.headers).ok_or(
        "its content encoding is none of `gzip`, `deflate` and `identity`, and may hide a sealed secret",
    )?;
    head.headers.remove(CONTENT_ENCODING);
    head.headers.remove(CONTENT_LENGTH);
    Ok(coding)
}

/// A secret that is cut in two cannot be found in either part.
fn check_searchable(head: &Parts) -> Result<(), &'static str> {
    let content_type = head.headers.get(CONTENT_TYPE).map(|value| value.as_bytes().to_ascii_lowercase());
    let content_type = String::from_utf8_lossy(content_type.as_deref().unwrap_or_default()).into_owned();
    let in_parts = content_type.starts_with("multipart/") && content_type.contains("byteranges");
    if in_parts || head.status == StatusCode::PARTIAL_CONTENT || head.status == StatusCode::IM_USED {
        return Err(
            "it is a partial response, and a sealed secret is for this host; request the whole resource",
        );
    }
    let charset =
        content_type.split("charset=").nth(1).unwrap_or_default().trim_start_matches(['"', '\'', ' ']);
    if OTHER_ALPHABETS.iter().any(|other| charset.starts_with(other)) {
        return Err(
            "its character encoding is not based on ASCII, and a sealed secret is for this host; request UTF-8",
        );
    }
    Ok(())
}

fn redact_headers(headers: &mut HeaderMap, redactor: &Arc<Redactor>) {
    let telling = |name: &&HeaderName| redactor.text(name.as_str().as_bytes()).is_some();
    let telling: Vec<HeaderName> = headers.keys().filter(telling).cloned().collect();
    for name in telling {
        headers.remove(name);
    }
    for value in headers.values_mut() {
        if let Some(redacted) = redactor.text(value.as_bytes()) {
            *value = HeaderValue::from_bytes(&redacted).unwrap_or(HeaderValue::from_static(""));
        }
    }
}
