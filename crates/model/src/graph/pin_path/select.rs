//! Selecting a part of a value.

use std::sync::Arc;

use serde_json::Value;
use thiserror::Error;

use super::{Part, PinPath, place};
use crate::input::tagged::{describe, elements, entries, pairs};
use crate::phrase::cut;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SelectError {
    #[error("`{place}` has no `{key}`, only {known}")]
    Key { place: String, key: String, known: String },
    #[error("`{place}` has {count} elements, so none at {index}")]
    Index { place: String, index: i64, count: usize },
    #[error("`{place}` is {given}, which has no {wanted}")]
    Kind { place: String, given: String, wanted: &'static str },
}

impl PinPath {
    /// What the path leads to in a value of the pin. The whole value is shared, not copied.
    pub fn select(&self, value: &Arc<Value>) -> Result<Arc<Value>, SelectError> {
        if self.is_whole() {
            return Ok(Arc::clone(value));
        }
        self.select_ref(value).map(|part| Arc::new(part.clone()))
    }

    fn select_ref<'a>(&self, value: &'a Value) -> Result<&'a Value, SelectError> {
        let mut value = value;
        for (done, part) in self.parts.iter().enumerate() {
            let place = || place(&self.pin, &self.parts[..done]);
            value = match part {
                Part::Key(key) => select_key(value, key, &place)?,
                Part::Index(index) => select_index(value, *index, &place)?,
            };
        }
        Ok(value)
    }
}

fn select_key<'a>(value: &'a Value, key: &str, place: &dyn Fn() -> String) -> Result<&'a Value, SelectError> {
    let missing = |known| SelectError::Key { place: place(), key: cut(key, 40), known };
    if let Some(map) = entries(value) {
        return map.get(key).ok_or_else(|| missing(known(map.keys().map(String::as_str))));
    }
    match pairs(value) {
        Some(mut pairs) => {
            let found = pairs.find(|(given, _)| given.as_str() == Some(key));
            found.map(|(_, value)| value).ok_or_else(|| missing("other keys".to_owned()))
        }
        None => Err(SelectError::Kind { place: place(), given: describe(value), wanted: "keys" }),
    }
}

fn select_index<'a>(
    value: &'a Value,
    index: i64,
    place: &dyn Fn() -> String,
) -> Result<&'a Value, SelectError> {
    let kind = || SelectError::Kind { place: place(), given: describe(value), wanted: "elements" };
    let items = elements(value).ok_or_else(kind)?;
    let from_start = if index < 0 { index.saturating_add_unsigned(items.len() as u64) } else { index };
    let missing = || SelectError::Index { place: place(), index, count: items.len() };
    usize::try_from(from_start).ok().and_then(|at| items.get(at)).ok_or_else(missing)
}

/// The keys of an object, as far as a reader wants to see them.
fn known<'a>(keys: impl ExactSizeIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 8;
    let count = keys.len();
    let shown: Vec<String> = keys.take(SHOWN).map(|key| format!("`{}`", cut(key, 40))).collect();
    match count {
        0 => "nothing".to_owned(),
        _ if count > SHOWN => format!("{} …", shown.join(", ")),
        _ => shown.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn select(path: &str, value: Value) -> Result<Value, String> {
        let path = PinPath::parse(path).unwrap();
        path.select(&Arc::new(value)).map(Arc::unwrap_or_clone).map_err(|error| error.to_string())
    }

    #[test]
    fn a_path_goes_any_depth_through_lists_tuples_and_objects() {
        let value = json!([{"k": {"$tuple": [1, {"x": null}]}}]);
        assert_eq!(select("r_$_0_#_k_$_1_#_x", value.clone()), Ok(json!(null)));
        assert_eq!(select("r[0].k[-1]", value), Ok(json!({"x": null})));
        assert_eq!(select("r.k", json!({"$dict": [[1, 2], ["k", 3]]})), Ok(json!(3)));
    }

    #[test]
    fn falsy_values_are_values() {
        for value in [json!(null), json!(0), json!(""), json!(false), json!([]), json!({})] {
            assert_eq!(select("r.k", json!({"k": value})), Ok(value));
        }
    }

    #[test]
    fn a_path_that_does_not_fit_is_reported_exactly() {
        insta::assert_snapshot!(select("r[0].k", json!([{"a": 1, "b": 2}])).unwrap_err(), @"`r[0]` has no `k`, only `a`, `b`");
        insta::assert_snapshot!(select("r_$_3", json!([1])).unwrap_err(), @"`r` has 1 elements, so none at 3");
        insta::assert_snapshot!(select("r_#_k", json!("text")).unwrap_err(), @"`r` is the string `text`, which has no keys");
        insta::assert_snapshot!(select("r_$_-9223372036854775808", json!([])).unwrap_err(), @"`r` has 0 elements, so none at -9223372036854775808");
    }
}
