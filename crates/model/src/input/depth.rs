//! How deep values may be nested.

use serde_json::Value;

/// Lists and objects inside of each other. JSON is read back up to 128 levels, and a value is stored inside of a few more of
/// them; what reads, compares and drops values calls itself once for each level.
pub const MAX_DEPTH: usize = 100;

/// Whether the value is nested no deeper than so many levels. It looks no deeper than that itself.
pub fn fits_in(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels > 0 && items.iter().all(|item| fits_in(item, levels - 1)),
        Value::Object(map) => levels > 0 && map.values().all(|item| fits_in(item, levels - 1)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_list_and_object_is_a_level() {
        assert!(fits_in(&json!("text"), 0));
        assert!(fits_in(&json!([1, {"a": null}]), 2));
        assert!(!fits_in(&json!([1, {"a": []}]), 2));
    }
}
