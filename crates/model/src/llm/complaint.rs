//! What a model's server means by a refusal: servers of one wire format word and number the same thing differently.

use serde_json::Value;

use crate::phrase::cut;

/// So much of a server's own words is shown.
const SHOWN: usize = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComplaintKind {
    Key,
    /// The URL or the model's id is wrong.
    NotFound,
    /// The conversation is too long.
    Overflow,
    /// A field, or the value of one.
    Parameter,
    RateLimit,
    /// Nothing more until somebody pays.
    Quota,
    /// It cannot now, and may be able to soon.
    Busy,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    pub kind: ComplaintKind,
    /// The server's own words.
    pub said: String,
}

const OVERFLOW: &[&str] = &[
    "context_length_exceeded",
    "context length",
    "context window",
    "context size",
    "exceed_context_size",
    "prompt is too long",
    "input is too long",
    "too many tokens",
];

impl Complaint {
    pub fn of(status: u16, body: &str) -> Complaint {
        let parsed: Option<Value> = serde_json::from_str(body).ok();
        let said = parsed.as_ref().and_then(words_of).unwrap_or_else(|| body.trim().to_owned());
        let code = parsed.as_ref().map(code_of).unwrap_or_default();
        Complaint { kind: kind(status, &format!("{code} {said}").to_lowercase()), said: cut(&said, SHOWN) }
    }

    /// Of an error that comes in the middle of a stream, which has no status.
    pub fn in_stream(event: &Value) -> Complaint {
        let code = code_of(event);
        let status = match code.as_str() {
            code if code.contains("overloaded") => 529,
            code if code.contains("rate_limit") => 429,
            code if code.contains("invalid_request") => 400,
            code if code.contains("authentication") => 401,
            _ => 500,
        };
        let said = words_of(event).unwrap_or_else(|| event.to_string());
        Complaint { kind: kind(status, &format!("{code} {said}").to_lowercase()), said: cut(&said, SHOWN) }
    }

    /// Whether the same request may be answered later.
    pub fn is_passing(&self) -> bool {
        matches!(self.kind, ComplaintKind::RateLimit | ComplaintKind::Busy)
    }

    /// What to do about it.
    pub fn advice(&self, name: &str) -> String {
        match self.kind {
            ComplaintKind::Key => {
                format!("set the right key; `selfmade model show {name}` says where it is read from")
            }
            ComplaintKind::NotFound => {
                format!("check its URL and its id with `selfmade model show {name}`")
            }
            ComplaintKind::Overflow => "leave out older messages".to_owned(),
            ComplaintKind::Parameter => {
                format!(
                    "if the request is right, `selfmade model test {name}` finds out what the model takes"
                )
            }
            ComplaintKind::RateLimit => "ask less often, or use another model".to_owned(),
            ComplaintKind::Quota => "pay its provider, or use another model".to_owned(),
            ComplaintKind::Busy => "try again later, or use another model".to_owned(),
            ComplaintKind::Other => format!("`selfmade model test {name}` tries it by itself"),
        }
    }
}

fn kind(status: u16, text: &str) -> ComplaintKind {
    use ComplaintKind as Kind;
    let is_overflow = OVERFLOW.iter().any(|phrase| text.contains(phrase));
    match status {
        400 | 413 | 422 | 500 if is_overflow => Kind::Overflow,
        413 => Kind::Overflow,
        401 | 403 => Kind::Key,
        404 | 405 => Kind::NotFound,
        402 => Kind::Quota,
        429 if text.contains("insufficient_quota") || text.contains("billing") => Kind::Quota,
        429 => Kind::RateLimit,
        408 | 425 | 500..=599 => Kind::Busy,
        400 if text.contains("model_not_found") => Kind::NotFound,
        400 | 422 => Kind::Parameter,
        _ => Kind::Other,
    }
}

fn words_of(body: &Value) -> Option<String> {
    let error = body.get("error").unwrap_or(body);
    let text = error.get("message").or_else(|| error.get("detail")).unwrap_or(error);
    text.as_str().map(str::to_owned)
}

fn code_of(body: &Value) -> String {
    let error = body.get("error").unwrap_or(body);
    ["code", "type"].iter().filter_map(|key| error.get(*key)?.as_str()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_servers_say_is_understood() {
        use ComplaintKind as Kind;
        for (status, body, kind) in [
            (401, json!({ "error": { "message": "Incorrect API key" } }), Kind::Key),
            (
                400,
                json!({ "error": { "message": "too long", "code": "context_length_exceeded" } }),
                Kind::Overflow,
            ),
            (
                400,
                json!({ "error": { "type": "exceed_context_size_error", "message": "the request exceeds it" } }),
                Kind::Overflow,
            ),
            (
                400,
                json!({ "type": "error", "error": { "type": "invalid_request_error", "message": "prompt is too long: 9 tokens" } }),
                Kind::Overflow,
            ),
            (
                400,
                json!({ "error": { "message": "Unsupported parameter: 'max_tokens'", "param": "max_tokens" } }),
                Kind::Parameter,
            ),
            (404, json!({ "error": "model \"x\" not found, try pulling it first" }), Kind::NotFound),
            (429, json!({ "error": { "code": "insufficient_quota", "message": "pay" } }), Kind::Quota),
            (429, json!({ "error": { "message": "slow down" } }), Kind::RateLimit),
            (
                529,
                json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } }),
                Kind::Busy,
            ),
            (500, json!("oops"), Kind::Busy),
            (418, json!({ "detail": "teapot" }), Kind::Other),
        ] {
            assert_eq!(Complaint::of(status, &body.to_string()).kind, kind, "{body}");
        }
        assert_eq!(Complaint::of(404, r#"{"error":"no such"}"#).said, "no such");
        assert_eq!(Complaint::of(502, "<html>Bad gateway</html>").said, "<html>Bad gateway</html>");
        let overloaded = json!({ "error": { "type": "overloaded_error", "message": "Overloaded" } });
        assert!(Complaint::in_stream(&overloaded).is_passing());
    }
}
