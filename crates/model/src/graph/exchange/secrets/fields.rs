//! Fields that are secret by their names, and values that are by their shape.

use serde_json::{Map, Value};

use crate::graph::exchange::names::clean;

/// The last part of a pin's path says what the value is.
pub(super) fn last(pin: &str) -> &str {
    let marks = ["_#_", "_$_", "_@_", "_~_"];
    marks.iter().filter_map(|mark| pin.rfind(mark)).max().map_or(pin, |at| &pin[at + 3..])
}

/// Blanks secret fields at any depth. Answers with the pins that were changed.
pub(super) fn walk(input: &mut Map<String, Value>, hidden: Option<&str>) -> Vec<String> {
    let mut found = Vec::new();
    for (pin, value) in input.iter_mut() {
        if remove_field(pin, value, hidden == Some(pin), false) {
            found.push(pin.clone());
        }
    }
    input.retain(|pin, _| !is_credentials(last(pin)));
    found
}

fn remove_field(key: &str, value: &mut Value, is_known: bool, in_schema: bool) -> bool {
    if is_credentials(last(key)) && !in_schema {
        let had = has_content(value);
        *value = Value::Null;
        return had;
    }
    if is_known || is_secret(last(key)) {
        return match value {
            Value::Object(property) if in_schema => blank_schema(property),
            value => blank(value, true),
        };
    }
    match value {
        Value::Object(map) => {
            let mut changed = false;
            for (inner, value) in map.iter_mut() {
                changed |= remove_field(inner, value, false, key == "properties");
            }
            if key != "properties" {
                map.retain(|inner, _| !is_credentials(inner));
            }
            changed
        }
        Value::Array(items) => {
            let mut changed = false;
            for item in items {
                changed |= remove_field("", item, false, false);
            }
            changed
        }
        Value::String(text) if has_key_shape(text) => blank(value, true),
        _ => false,
    }
}

fn has_content(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(map) => map.values().any(has_content),
        Value::Array(items) => items.iter().any(has_content),
        _ => true,
    }
}

/// Whether there was anything to blank. What only says yes or no is no secret.
pub(super) fn blank(value: &mut Value, keeps_text: bool) -> bool {
    let had = has_content(value) && !value.is_boolean();
    if had {
        *value = if value.is_string() && keeps_text { Value::from("") } else { Value::Null };
    }
    had
}

/// The schema of a secret may stay, what it gives as values may not.
pub(super) fn blank_schema(property: &mut Map<String, Value>) -> bool {
    let mut changed = false;
    for key in ["default", "const", "enum", "example", "examples"] {
        if let Some(value) = property.get_mut(key) {
            changed |= blank(value, true);
        }
    }
    changed
}

pub(super) fn is_credentials(name: &str) -> bool {
    let name = clean(name);
    ["credentials", "creds"].iter().any(|word| name == *word || name.ends_with(&format!("_{word}")))
        || name == "nodes_input_masks"
}

pub(super) fn is_secret(name: &str) -> bool {
    const ENDS: [&str; 11] = [
        "password",
        "passwd",
        "passphrase",
        "secret",
        "secret_key",
        "private_key",
        "access_key",
        "authorization",
        "bearer",
        "webhook_url",
        "webhook_id",
    ];
    // `page_token` is a place in a list, `max_token` a count.
    const HARMLESS: [&str; 6] = ["page", "next", "continuation", "sync", "stop", "max"];
    let name = clean(name);
    let is_token = name.ends_with("token") && !HARMLESS.iter().any(|word| name.contains(word));
    name.contains("api_key")
        || name.contains("apikey")
        || name == "cookie"
        || is_token
        || ENDS.iter().any(|end| name.ends_with(end))
}

/// Keys of well-known services, wherever they are.
fn has_key_shape(text: &str) -> bool {
    const BEGINS: [&str; 9] =
        ["sk-", "ghp_", "gho_", "github_pat_", "xoxb-", "xoxp-", "AIza", "r8_", "jina_"];
    let is_word = !text.contains(char::is_whitespace) && text.len() >= 20;
    is_word && BEGINS.iter().any(|begin| text.starts_with(begin)) || text.starts_with("Bearer ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_secret() {
        for name in [
            "api_key",
            "OpenAI API Key",
            "discord_bot_token",
            "apiKey",
            "Password",
            "client_secret",
            "X-Api-Key",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["max_tokens", "next_page_token", "tokens", "keyword", "key", "Secret Santa list"] {
            assert!(!is_secret(name), "{name}");
        }
        assert!(
            is_credentials("github_credentials")
                && is_credentials("creds")
                && !is_credentials("credentials_optional")
        );
    }
}
