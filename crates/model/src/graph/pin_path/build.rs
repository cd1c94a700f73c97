//! Building a value from its parts, which arrive at different pins.

use serde_json::{Map, Value};
use thiserror::Error;

use super::{Part, place};
use crate::input::depth::{MAX_DEPTH, fits_in};
use crate::input::tagged::{describe, tag};

/// A list that is built part by part has no more elements than this.
pub const MAX_INDEX: i64 = 9_999;
/// Elements that nobody gives, and that are null because a later one is there: of all lists of one input, and of all constants
/// of one Graph.
pub const MAX_GAPS: usize = 100_000;

/// How many more elements may be made that nobody gives. A path of a few bytes asks for ten thousand at each of its indices.
#[derive(Debug)]
pub struct Gaps(usize);

impl Default for Gaps {
    fn default() -> Gaps {
        Gaps(MAX_GAPS)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BuildError {
    #[error("`{place}` is {given}, which cannot be given {part}")]
    Kind { place: String, given: String, part: String },
    #[error("`{place}` cannot be given an element at {index}; an index here is from 0 to {MAX_INDEX}")]
    Index { place: String, index: i64 },
    #[error(
        "the element {index} of `{place}` leaves too many before it empty; at most {MAX_GAPS} elements may be left out in all"
    )]
    Gaps { place: String, index: i64 },
    #[error("`{pin}` would be nested deeper than {MAX_DEPTH} levels; pass a flatter value")]
    Depth { pin: String },
}

impl Part {
    /// Whether a value can be built with it.
    pub(in crate::graph) fn is_buildable(&self) -> bool {
        match self {
            Part::Key(_) => true,
            Part::Index(index) => (0..=MAX_INDEX).contains(index),
        }
    }
}

/// Writes a part into the value of a pin, and makes what lies on the way: nothing and null become an object or a list. An index
/// is a place: earlier elements that nobody gives are null.
pub fn write_at(
    target: &mut Value,
    pin: &str,
    parts: &[Part],
    value: Value,
    gaps: &mut Gaps,
) -> Result<(), BuildError> {
    if MAX_DEPTH.checked_sub(parts.len()).is_none_or(|levels| !fits_in(&value, levels)) {
        return Err(BuildError::Depth { pin: pin.to_owned() });
    }
    let mut target = target;
    for (done, part) in parts.iter().enumerate() {
        let place = || place(pin, &parts[..done]);
        target = match part {
            Part::Key(key) => entry(target, key, &place)?,
            Part::Index(index) => element(target, *index, &place, gaps)?,
        };
    }
    *target = value;
    Ok(())
}

fn entry<'a>(
    target: &'a mut Value,
    key: &str,
    place: &dyn Fn() -> String,
) -> Result<&'a mut Value, BuildError> {
    if target.is_null() {
        *target = Value::Object(Map::new());
    }
    let part = || format!("the key `{key}`");
    if tag(target).is_some() {
        return Err(BuildError::Kind { place: place(), given: describe(target), part: part() });
    }
    match target {
        Value::Object(map) => Ok(map.entry(key).or_insert(Value::Null)),
        other => Err(BuildError::Kind { place: place(), given: describe(other), part: part() }),
    }
}

fn element<'a>(
    target: &'a mut Value,
    index: i64,
    place: &dyn Fn() -> String,
    gaps: &mut Gaps,
) -> Result<&'a mut Value, BuildError> {
    if target.is_null() {
        *target = Value::Array(Vec::new());
    }
    let at = usize::try_from(index).ok().filter(|_| index <= MAX_INDEX);
    let at = at.ok_or_else(|| BuildError::Index { place: place(), index })?;
    match target {
        Value::Array(items) => {
            if items.len() <= at {
                let left = gaps.0.checked_sub(at - items.len());
                gaps.0 = left.ok_or_else(|| BuildError::Gaps { place: place(), index })?;
                items.resize(at + 1, Value::Null);
            }
            Ok(&mut items[at])
        }
        other => {
            let part = format!("an element at {index}");
            Err(BuildError::Kind { place: place(), given: describe(other), part })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::PinPath;
    use super::*;

    fn built(base: Value, given: &[(&str, Value)]) -> Result<Value, String> {
        let (mut value, mut gaps) = (base, Gaps::default());
        for (path, part) in given {
            let path = PinPath::parse(path).unwrap();
            write_at(&mut value, path.pin(), path.parts(), part.clone(), &mut gaps)
                .map_err(|error| error.to_string())?;
        }
        Ok(value)
    }

    #[test]
    fn parts_make_lists_and_objects_of_any_depth() {
        let given = [("v_#_a", json!(1)), ("v_#_b_$_1_@_c", json!("x")), ("v.b[0]", json!(false))];
        assert_eq!(built(json!(null), &given), Ok(json!({"a": 1, "b": [false, {"c": "x"}]})));
        assert_eq!(built(json!({"c": "!!!", "a": 0}), &given[..1]), Ok(json!({"a": 1, "c": "!!!"})));
        assert_eq!(built(json!(null), &[("l_$_2", json!(2))]), Ok(json!([null, null, 2])));
    }

    #[test]
    fn elements_that_nobody_gives_are_bounded_in_all_and_those_that_are_given_are_not() {
        let far = |links: usize| -> Vec<(String, Value)> {
            (0..links).map(|at| (format!("v[{at}][9999]"), json!(1))).collect()
        };
        let far = |links: usize| {
            let given = far(links);
            let given: Vec<(&str, Value)> =
                given.iter().map(|(path, part)| (path.as_str(), part.clone())).collect();
            built(json!(null), &given).map(|value| value.as_array().unwrap().len())
        };
        assert_eq!(far(10), Ok(10));
        insta::assert_snapshot!(far(11).unwrap_err(), @"the element 9999 of `v[10]` leaves too many before it empty; at most 100000 elements may be left out in all");
        let deep = format!("v{}", "[9999]".repeat(32));
        assert!(built(json!(null), &[(&deep, json!(1))]).is_err());
    }

    #[test]
    fn a_value_never_gets_deeper_than_it_may() {
        let path = format!("v{}", "[0]".repeat(30));
        let mut value = json!(null);
        for round in 1..10 {
            match built(json!(null), &[(&path, value)]) {
                Ok(deeper) if round <= 3 => value = deeper,
                Ok(_) => panic!("round {round} is too deep"),
                Err(why) => {
                    assert_eq!(round, 4);
                    return insta::assert_snapshot!(why, @"`v` would be nested deeper than 100 levels; pass a flatter value");
                }
            }
        }
    }

    #[test]
    fn a_part_that_does_not_fit_is_refused_and_not_put_in_the_place_of_the_rest() {
        insta::assert_snapshot!(built(json!("text"), &[("v_#_a", json!(1))]).unwrap_err(), @"`v` is the string `text`, which cannot be given the key `a`");
        insta::assert_snapshot!(built(json!({"a": {}}), &[("v.a[0]", json!(1))]).unwrap_err(), @"`v.a` is an empty object, which cannot be given an element at 0");
        insta::assert_snapshot!(built(json!(null), &[("v_$_4000000000", json!(1))]).unwrap_err(), @"`v` cannot be given an element at 4000000000; an index here is from 0 to 9999");
        insta::assert_snapshot!(built(json!({"$tuple": []}), &[("v.a", json!(1))]).unwrap_err(), @"`v` is a tuple of length 0, which cannot be given the key `a`");
    }
}
