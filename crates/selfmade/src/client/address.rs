//! Addresses of the API: segments and queries, encoded so that whatever was typed stays in its place.

/// The path of a resource.
pub(super) fn path(segments: &[&str]) -> String {
    segments.iter().fold("/api/v1".to_owned(), |path, segment| format!("{path}/{}", encoded(segment)))
}

/// Everything but what is plain everywhere is written as `%XX`.
pub(super) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_stays_one_segment() {
        assert_eq!(path(&["functions", "text.greet"]), "/api/v1/functions/text.greet");
        assert_eq!(path(&["secrets", "a/../b?c#d e%"]), "/api/v1/secrets/a%2F..%2Fb%3Fc%23d%20e%25");
        assert_eq!(encoded("grüße"), "gr%C3%BC%C3%9Fe");
    }
}
