//! What it may cost to check a value against a schema.
//!
//! References make a short schema a long one: 22 definitions that each name the next one twice are four million schemas.

use std::collections::HashMap;

use serde_json::Value;

/// Schemas that one value may be checked against, with all references written out. What describes real data has hundreds.
pub(crate) const MAX_COST: usize = 10_000;

/// Whether the schema is small enough to be checked with, its references written out. One that contains itself is written out
/// once.
pub(crate) fn is_bounded(schema: &Value) -> bool {
    Costs { root: schema, known: HashMap::new() }.of(schema) <= MAX_COST
}

struct Costs<'a> {
    root: &'a Value,
    /// By reference; nothing while it is being worked out, so that it ends in a schema that contains itself.
    known: HashMap<&'a str, usize>,
}

impl<'a> Costs<'a> {
    fn of(&mut self, schema: &'a Value) -> usize {
        match schema {
            Value::Array(items) => items.iter().fold(0, |sum, item| self.of(item).saturating_add(sum)),
            Value::Object(map) => {
                let own = map.get("$ref").and_then(Value::as_str).map_or(1, |target| self.named(target));
                let parts = map.iter().filter(|(key, _)| !matches!(key.as_str(), "$defs" | "definitions"));
                parts.fold(own.saturating_add(1), |sum, (_, part)| self.of(part).saturating_add(sum))
            }
            _ => 0,
        }
    }

    fn named(&mut self, target: &'a str) -> usize {
        if let Some(cost) = self.known.get(target) {
            return *cost;
        }
        self.known.insert(target, 0);
        let found = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let cost = found.map_or(0, |schema| self.of(schema));
        self.known.insert(target, cost);
        cost
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::super::{Place, Problems, Shape};
    use super::*;

    /// Definitions that each name the next one three times.
    fn expanding(levels: usize) -> Value {
        let next = |level: usize| json!({"$ref": format!("#/$defs/a{}", level + 1), "title": "t"});
        let one = |level: usize| json!({"anyOf": [{"allOf": [next(level), next(level)]}, next(level)]});
        let mut defs: Map<String, Value> =
            (0..levels).map(|level| (format!("a{level}"), one(level))).collect();
        defs.insert(format!("a{levels}"), json!({"type": "string", "minLength": 500}));
        json!({"$ref": "#/$defs/a0", "title": "t", "$defs": defs})
    }

    #[test]
    fn a_short_schema_that_stands_for_millions_is_refused_and_not_expanded() {
        assert!(is_bounded(&expanding(4)));
        assert!(!is_bounded(&expanding(22)));
        let mut problems = Problems::up_to(3);
        Shape::of(&expanding(22)).check(&json!("a"), &Place::Root, &mut problems);
        assert_eq!(problems.count, 0);
        Shape::of(&expanding(4)).check(&json!("a"), &Place::Root, &mut problems);
        assert_eq!(problems.count, 1);
    }

    #[test]
    fn a_schema_that_contains_itself_is_bounded() {
        assert!(is_bounded(&json!({"$ref": "#"})));
        let tree = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
        assert!(is_bounded(&tree));
    }

    #[test]
    fn alternatives_inside_of_alternatives_are_not_looked_at_again_and_again() {
        let (mut schema, mut value) = (json!({"type": "string"}), json!(1));
        for _ in 0..40 {
            schema = json!({"anyOf": [{"type": "array", "items": schema}]});
            value = json!([value]);
        }
        let mut problems = Problems::up_to(3);
        Shape::of(&schema).check(&value, &Place::Root, &mut problems);
        assert_eq!(problems.count, 1);
    }
}
