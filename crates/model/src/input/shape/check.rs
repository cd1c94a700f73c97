//! Checking a value against a shape. A value that fits costs no allocation.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{List, Object, Place, Problem, Problems, Shape};
use crate::changeset::check::nearest;
use crate::input::tagged::{describe, elements, entries, pairs, plain, tag};
use crate::phrase::cut;

/// How much of what another validator says is shown.
const FOREIGN: usize = 200;

impl Shape {
    pub(crate) fn check(&self, value: &Value, place: &Place<'_>, problems: &mut Problems) {
        match self {
            Shape::List(list) if elements(value).is_some() => list.check(value, place, problems),
            Shape::Object(object) if is_dict(value) => object.check_value(value, place, problems),
            Shape::Either(shapes) => self.check_either(shapes, value, place, problems),
            Shape::Foreign(validator) => check_foreign(validator, value, place, problems),
            plain if plain.fits_plainly(value) => {}
            _ => problems.add(|| Problem::wrong(place.to_string(), self.words(), describe(value))),
        }
    }

    fn fits(&self, value: &Value) -> bool {
        let mut problems = Problems::counted();
        self.check(value, &Place::Root, &mut problems);
        problems.count == 0
    }

    /// Of shapes without parts.
    fn fits_plainly(&self, value: &Value) -> bool {
        let tag = || tag(value).map(|(tag, _)| tag);
        match self {
            Shape::Any => true,
            Shape::Null => value.is_null(),
            Shape::Boolean => value.is_boolean(),
            Shape::Integer => is_integer(value) || tag() == Some("$int"),
            Shape::Number => value.is_number() || matches!(tag(), Some("$int" | "$float" | "$decimal")),
            Shape::Text(text) => text.fits(value),
            Shape::OneOf(values) => values.iter().any(|one| is_same(one, value)),
            Shape::List(_) | Shape::Object(_) | Shape::Either(_) | Shape::Foreign(_) => false,
        }
    }

    /// Problems inside a list or an object are told if only one alternative is such.
    fn check_either(&self, shapes: &[Shape], value: &Value, place: &Place<'_>, problems: &mut Problems) {
        if shapes.iter().any(|shape| shape.fits(value)) {
            return;
        }
        // Whether there is a problem is known; to look for it again would double the work with each level.
        if problems.is_counted() {
            return problems.add(|| Problem::wrong(place.to_string(), self.words(), describe(value)));
        }
        let mut alike = shapes.iter().filter(|shape| shape.is_alike(value));
        match (alike.next(), alike.next()) {
            (Some(shape), None) => shape.check(value, place, problems),
            _ => problems.add(|| Problem::wrong(place.to_string(), self.words(), describe(value))),
        }
    }

    fn is_alike(&self, value: &Value) -> bool {
        match self {
            Shape::List(_) => elements(value).is_some(),
            Shape::Object(_) => is_dict(value),
            _ => false,
        }
    }
}

impl List {
    fn check(&self, value: &Value, place: &Place<'_>, problems: &mut Problems) {
        let items = elements(value).unwrap_or_default();
        let counts = (self.least..=self.most).contains(&items.len());
        if !counts || self.unique && value.is_array() && has_twins(items) {
            let given = if counts { "one with duplicates".to_owned() } else { describe(value) };
            problems.add(|| Problem::wrong(place.to_string(), self.words(), given));
        }
        for (index, item) in items.iter().enumerate() {
            let shape = self.first.get(index).unwrap_or(&self.rest);
            shape.check(item, &Place::Element(place, index), problems);
        }
    }
}

impl Object {
    fn check_value(&self, value: &Value, place: &Place<'_>, problems: &mut Problems) {
        if let Some(entries) = entries(value) {
            return self.check(entries, place, problems);
        }
        // A dict with other keys: they are not properties, and no property is among them.
        for (key, value) in pairs(value).into_iter().flatten() {
            self.check_other(&key.to_string(), value, place, problems);
        }
        self.required.iter().for_each(|name| missing(name, place, problems));
    }

    pub(crate) fn check(&self, map: &Map<String, Value>, place: &Place<'_>, problems: &mut Problems) {
        for name in self.required.iter().filter(|name| !map.contains_key(*name)) {
            missing(name, place, problems);
        }
        for (name, value) in map {
            match self.properties.get(name) {
                Some(property) if property.default.as_ref() == Some(value) => {}
                Some(property) => property.shape.check(value, &Place::Key(place, name), problems),
                None => self.check_other(name, value, place, problems),
            }
        }
    }

    fn check_other(&self, name: &str, value: &Value, place: &Place<'_>, problems: &mut Problems) {
        let here = Place::Key(place, name);
        match &self.others {
            Some(shape) => shape.check(value, &here, problems),
            None => problems.add(|| self.unknown(name, value, place)),
        }
    }

    fn unknown(&self, name: &str, value: &Value, place: &Place<'_>) -> Problem {
        let noun = if place.is_root() { "parameter" } else { "key" };
        let known: Vec<String> = self.properties.keys().cloned().collect();
        let expected = match nearest(name, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => format!("there are no {noun}s"),
            None => {
                let names: Vec<String> = known.iter().take(12).map(|name| format!("`{name}`")).collect();
                format!("the {noun}s are {}", names.join(", "))
            }
        };
        let path = Place::Key(place, name).to_string();
        let message = format!("`{path}` is not a {noun}; {expected}");
        Problem { path, expected, given: describe(value), message }
    }
}

fn missing(name: &str, place: &Place<'_>, problems: &mut Problems) {
    problems.add(|| Problem::missing(Place::Key(place, name).to_string()));
}

fn is_dict(value: &Value) -> bool {
    entries(value).is_some() || pairs(value).is_some()
}

fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// 1 and 1.0 are the same to JSON Schema, and to Python.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => a.as_f64() == b.as_f64(),
        _ => one == other,
    }
}

fn has_twins(items: &[Value]) -> bool {
    let mut seen = HashSet::with_capacity(items.len());
    !items.iter().all(|item| seen.insert(item))
}

fn check_foreign(
    validator: &jsonschema::Validator,
    value: &Value,
    place: &Place<'_>,
    problems: &mut Problems,
) {
    let value = plain(value);
    if validator.is_valid(&value) {
        return;
    }
    // Problems are put together when they are asked for, so as many as are told.
    for error in validator.iter_errors(&value).take(problems.room().max(1)) {
        problems.add(|| {
            let mut path = place.to_string();
            for part in error.instance_path().to_string().split('/').skip(1) {
                match part.parse::<usize>() {
                    Ok(index) => path.push_str(&format!("[{index}]")),
                    Err(_) if path.is_empty() => path.push_str(part),
                    Err(_) => path.push_str(&format!(".{part}")),
                }
            }
            let said = cut(&error.to_string(), FOREIGN);
            let subject = if path.is_empty() { "the input".to_owned() } else { format!("`{path}`") };
            let message = format!("{subject} does not match its schema: {said}");
            Problem { path, expected: said, given: describe(error.instance()), message }
        });
    }
}
