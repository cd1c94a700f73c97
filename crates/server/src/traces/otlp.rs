//! OTLP over HTTP, in its JSON form: ids in hexadecimal, times as texts, because they do not fit a JSON number.

use serde_json::{Value, json};

use super::spans::Span;

/// `SPAN_KIND_INTERNAL`
const INTERNAL: u8 = 1;
/// `STATUS_CODE_ERROR`
const ERROR: u8 = 2;

/// The body of a request that tells of some spans.
pub(super) fn request(node: &str, spans: &[Span]) -> Value {
    let spans: Vec<Value> = spans.iter().map(span).collect();
    json!({ "resourceSpans": [{
        "resource": { "attributes": [
            attribute("service.name", "selfmade"),
            attribute("service.version", env!("CARGO_PKG_VERSION")),
            attribute("service.instance.id", node),
        ] },
        "scopeSpans": [{
            "scope": { "name": "selfmade", "version": env!("CARGO_PKG_VERSION") },
            "spans": spans,
        }],
    }] })
}

fn span(span: &Span) -> Value {
    let attributes: Vec<Value> = span.attributes.iter().map(|(key, value)| attribute(key, value)).collect();
    let mut told = json!({
        "traceId": format!("{:032x}", span.trace),
        "spanId": format!("{:016x}", span.id),
        "name": span.name,
        "kind": INTERNAL,
        "startTimeUnixNano": span.start.as_nanosecond().to_string(),
        "endTimeUnixNano": span.end.as_nanosecond().to_string(),
        "attributes": attributes,
        "status": {},
    });
    if let Some(parent) = span.parent {
        told["parentSpanId"] = format!("{parent:016x}").into();
    }
    if let Some(error) = &span.error {
        told["status"] = json!({ "code": ERROR, "message": error });
    }
    told
}

fn attribute(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}
