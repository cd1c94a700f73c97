//! What came back, without what is told by chance: ids, times, and the numbers of counters that everybody shares.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::Value;

/// Counters of the whole brain: that they move is no secret.
const COUNTERS: [&str; 8] = [
    "revision",
    "base_revision",
    "applied_revision",
    "changeset",
    "number",
    "seq",
    "event_seq",
    "duration_us",
];

pub(super) fn plain(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(plain_text(&text)),
        Value::Array(items) => Value::Array(items.into_iter().map(plain).collect()),
        Value::Object(fields) => Value::Object(fields.into_iter().map(plain_field).collect()),
        other => other,
    }
}

fn plain_field((key, value): (String, Value)) -> (String, Value) {
    let is_counter = COUNTERS.contains(&key.as_str()) && value.is_number();
    let value = match &value {
        // Of a schedule it is a time.
        Value::String(cursor) if key == "next" && !cursor.contains(':') => {
            Value::String(plain_cursor(cursor))
        }
        _ if is_counter => Value::String("#".to_owned()),
        _ => plain(value),
    };
    // What is listed by its id.
    (if is_id(&key) { "#".to_owned() } else { key }, value)
}

/// Where the next page begins is said by the last item of this one, which may be an id or the number of a counter.
fn plain_cursor(cursor: &str) -> String {
    let text = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.unwrap_or_else(|| panic!("`{cursor}` is not a cursor"));
    let (list, last) = text.rsplit_once(' ').expect("a cursor names its list");
    let is_number = last.chars().all(|c| c.is_ascii_digit());
    if is_number { format!("{list} #") } else { plain_text(&text) }
}

/// Ids and times stand between other characters; words that count changesets and revisions stand before their number.
pub(super) fn plain_text(text: &str) -> String {
    let mut words = Vec::new();
    let mut after_counter = false;
    for word in text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '-' && c != '_' && c != '.') {
        let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let rest = &word[bare.len()..];
        let is_chance = is_id(bare) || bare.starts_with("2026-") || bare.starts_with("browser-");
        let is_counted = after_counter && bare.chars().all(|c| c.is_ascii_digit());
        words.push(if is_chance || is_counted { format!("#{rest}") } else { word.to_owned() });
        after_counter = matches!(bare, "changeset" | "revision" | "apply" | "show" | "event");
    }
    words.concat()
}

/// A whole id, the hash of several, or the eight digits at its end by which people name one.
fn is_id(word: &str) -> bool {
    let is_hex = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    [64, 36, 32, 8].contains(&word.len()) && is_hex(word) && word.contains(|c: char| c.is_ascii_digit())
}
