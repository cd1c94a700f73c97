//! Whether values of one JSON Schema can fit another. Only what is certain is refused: an unknown keyword may mean
//! anything, and a list may be empty.

use serde_json::{Map, Value};

use super::pin_path::Part;
use crate::input::shape::{Place, Problems, Shape};

/// Schemas may nest without end; nobody's type does.
const MAX_DEPTH: usize = 8;

/// The kinds of JSON values, one bit each. A whole number is a number too.
type Kinds = u8;
const KINDS: [(&str, Kinds); 7] = [
    ("null", 1),
    ("boolean", 2),
    ("integer", 4),
    ("number", 12),
    ("string", 16),
    ("array", 32),
    ("object", 64),
];
const ALL: Kinds = 127;
const ARRAY: Kinds = 32;
const OBJECT: Kinds = 64;

/// Whether no value of the one schema is a value of the other.
pub fn cannot_fit(from: &Value, to: &Value) -> bool {
    cannot(from, to, MAX_DEPTH)
}

fn cannot(from: &Value, to: &Value, depth: usize) -> bool {
    if depth == 0 {
        return false;
    }
    if let Some(values) = values(from) {
        let shape = Shape::of(to);
        return !values.is_empty() && !values.iter().any(|value| fits(&shape, value));
    }
    if let Some(alternatives) = alternatives(from) {
        return !alternatives.is_empty() && alternatives.iter().all(|one| cannot(one, to, depth - 1));
    }
    if let Some(alternatives) = alternatives(to) {
        return !alternatives.is_empty() && alternatives.iter().all(|one| cannot(from, one, depth - 1));
    }
    let common = kinds(from) & kinds(to);
    common == 0 || common == OBJECT && cannot_object(from, to, depth)
}

/// A property that the one must have and the other has not, or of another kind.
fn cannot_object(from: &Value, to: &Value, depth: usize) -> bool {
    let property = |schema: &Value, name: &str| schema.get("properties")?.get(name).cloned();
    required(to).any(|name| match property(from, name) {
        Some(given) => {
            let is_given = required(from).any(|other| other == name);
            is_given && property(to, name).is_some_and(|wanted| cannot(&given, &wanted, depth - 1))
        }
        None => from.get("additionalProperties") == Some(&Value::Bool(false)),
    })
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn fits(shape: &Shape, value: &Value) -> bool {
    let mut problems = Problems::counted();
    shape.check(value, &Place::Root, &mut problems);
    problems.count == 0
}

fn values(schema: &Value) -> Option<Vec<&Value>> {
    match (schema.get("const"), schema.get("enum").and_then(Value::as_array)) {
        (Some(value), _) => Some(vec![value]),
        (None, Some(values)) => Some(values.iter().collect()),
        (None, None) => None,
    }
}

fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array)
}

fn kinds(schema: &Value) -> Kinds {
    let bits = |name: &Value| KINDS.iter().find(|(known, _)| name == known).map_or(ALL, |(_, bits)| *bits);
    match schema.get("type") {
        Some(Value::Array(names)) => names.iter().map(bits).fold(0, |all, one| all | one),
        Some(name) => bits(name),
        None => match values(schema) {
            Some(values) => values.iter().map(|value| kind(value)).fold(0, |all, one| all | one),
            None => ALL,
        },
    }
}

fn kind(value: &Value) -> Kinds {
    match value {
        Value::Null => 1,
        Value::Bool(_) => 2,
        Value::Number(number) => {
            if number.is_f64() {
                12
            } else {
                4
            }
        }
        Value::String(_) => 16,
        // A date and the like is an object with a tag.
        Value::Array(_) | Value::Object(_) => ALL,
    }
}

/// The schema of a part of a value; `None` if values of the schema have no such part, anything if that is not known.
pub fn part_schema(schema: &Value, parts: &[Part]) -> Option<Value> {
    let mut schema = schema.clone();
    for part in parts {
        let is_possible = |one: &Value| {
            let wanted = if matches!(part, Part::Key(_)) { OBJECT } else { ARRAY };
            kinds(one) & wanted != 0
        };
        if alternatives(&schema).is_some_and(|all| !all.is_empty() && !all.iter().any(is_possible))
            || !is_possible(&schema)
        {
            return None;
        }
        schema = schema.as_object().and_then(|map| inner(map, part)).unwrap_or(Value::Bool(true));
    }
    Some(schema)
}

fn inner(schema: &Map<String, Value>, part: &Part) -> Option<Value> {
    match part {
        Part::Key(key) => {
            let property = schema.get("properties").and_then(|properties| properties.get(key));
            let other = schema.get("additionalProperties").filter(|other| other.is_object());
            property.or(other).cloned()
        }
        // From the end it may be any of them.
        Part::Index(index) => match schema.get("prefixItems").and_then(Value::as_array) {
            Some(first) => first.get(usize::try_from(*index).ok()?).cloned(),
            None => schema.get("items").cloned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_certain_is_refused() {
        let text = json!({"type": "string"});
        let list = json!({"type": "array", "items": text});
        let user = json!({"type": "object", "properties": {"name": text, "age": {"type": "integer"}}, "required": ["name"]});
        let never = [
            (text.clone(), json!({"type": "number"})),
            (list.clone(), text.clone()),
            (json!({"enum": ["a", "b"]}), json!({"enum": ["c"]})),
            (json!({"anyOf": [text, {"type": "null"}]}), json!({"type": "object"})),
            (json!({"type": ["string", "null"]}), json!({"type": "boolean"})),
            (
                json!({"type": "object", "properties": {"name": {"type": "null"}}, "required": ["name"]}),
                user.clone(),
            ),
            (json!({"type": "object", "properties": {}, "additionalProperties": false}), user.clone()),
        ];
        for (from, to) in never {
            assert!(cannot_fit(&from, &to), "{from} → {to}");
        }
        let perhaps = [
            (json!({}), text.clone()),
            (text.clone(), json!({})),
            (json!(true), text.clone()),
            (json!({"type": "number"}), json!({"type": "integer"})),
            (json!({"type": "integer"}), json!({"type": "number"})),
            (list, json!({"type": "array", "items": {"type": "number"}})),
            (json!({"type": "object"}), user.clone()),
            (json!({"type": "string", "format": "date"}), text.clone()),
            (json!({"$ref": "#/$defs/x"}), text.clone()),
            (json!({"anyOf": [text, {"type": "null"}]}), text.clone()),
            (json!({"enum": [1.0]}), json!({"type": "integer"})),
            (json!({"enum": []}), text.clone()),
            (json!({"type": "fraction"}), text),
            (json!({"type": "object", "properties": {"name": {"type": "null"}}}), user),
        ];
        for (from, to) in perhaps {
            assert!(!cannot_fit(&from, &to), "{from} → {to}");
        }
    }

    #[test]
    fn the_schema_of_a_part_is_known_where_it_is_said() {
        let schema =
            json!({"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}}}});
        let part = |parts: &[Part]| part_schema(&schema, parts);
        assert_eq!(part(&[Part::Index(-1), Part::Key("k".into())]), Some(json!({"type": "string"})));
        assert_eq!(part(&[Part::Index(0), Part::Key("other".into())]), Some(json!(true)));
        assert_eq!(part(&[Part::Key("k".into())]), None);
        assert_eq!(part_schema(&json!({}), &[Part::Index(0)]), Some(json!(true)));
    }
}
