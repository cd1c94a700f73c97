//! Shapes: JSON Schemas in the form in which recorded values are checked against them.
//!
//! The schemas that annotations lead to are checked here, because only here it is known that a tuple is a list and what
//! `{"$datetime": …}` is, and because the answer is to be in words. A schema with any other keyword is left to
//! `jsonschema`, which sees the value in its nearest plain form.

mod check;
mod cost;
mod phrase;
mod place;
mod problem;
mod tags;
mod text;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

pub(crate) use self::cost::is_bounded;
pub(crate) use self::place::Place;
pub use self::problem::Problem;
pub(crate) use self::problem::Problems;
pub(crate) use self::tags::check_tags;
use self::text::Text;

#[derive(Debug)]
pub(crate) enum Shape {
    Any,
    Null,
    Boolean,
    Integer,
    Number,
    Text(Text),
    List(List),
    Object(Object),
    OneOf(Vec<Value>),
    Either(Vec<Shape>),
    Foreign(Box<jsonschema::Validator>),
}

#[derive(Debug)]
pub(crate) struct List {
    /// Of the first elements, one by one.
    first: Vec<Shape>,
    rest: Box<Shape>,
    least: usize,
    most: usize,
    unique: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Object {
    pub(crate) properties: BTreeMap<String, Property>,
    /// In the order in which a reader is told of them.
    required: Vec<String>,
    /// What else may be there; nothing if absent.
    others: Option<Box<Shape>>,
}

#[derive(Debug)]
pub(crate) struct Property {
    shape: Shape,
    /// What it is without being given, and may therefore be given as whatever its type is.
    pub(crate) default: Option<Value>,
}

/// Keywords that say nothing about which values fit.
const NOTES: [&str; 5] = ["title", "description", "default", "examples", "deprecated"];

impl Shape {
    pub(crate) fn of(schema: &Value) -> Shape {
        match schema {
            Value::Bool(true) => Shape::Any,
            Value::Object(map) => Shape::known(map).unwrap_or_else(|| Shape::foreign(schema)),
            _ => Shape::foreign(schema),
        }
    }

    fn known(schema: &Map<String, Value>) -> Option<Shape> {
        let only = |allowed: &[&str]| {
            let says = |key: &&String| !NOTES.contains(&key.as_str());
            schema.keys().filter(says).all(|key| allowed.contains(&key.as_str()))
        };
        if only(&[]) {
            return Some(Shape::Any);
        }
        if only(&["enum"]) {
            return schema["enum"].as_array().cloned().map(Shape::OneOf);
        }
        if only(&["anyOf"]) {
            return schema["anyOf"].as_array().map(|all| Shape::Either(all.iter().map(Shape::of).collect()));
        }
        match schema.get("type")?.as_str()? {
            "null" if only(&["type"]) => Some(Shape::Null),
            "boolean" if only(&["type"]) => Some(Shape::Boolean),
            "integer" if only(&["type"]) => Some(Shape::Integer),
            "number" if only(&["type"]) => Some(Shape::Number),
            "string" if only(&["type", "format", "contentEncoding"]) => Some(Shape::Text(Text::of(schema))),
            "array" if only(&["type", "items", "prefixItems", "minItems", "maxItems", "uniqueItems"]) => {
                Some(Shape::List(List::of(schema)))
            }
            "object" if only(&["type", "properties", "required", "additionalProperties"]) => {
                Some(Shape::Object(Object::of(schema)))
            }
            _ => None,
        }
    }

    /// A schema that is none constrains nothing, nor does one that cannot be checked with in bounded time.
    fn foreign(schema: &Value) -> Shape {
        if !is_bounded(schema) {
            return Shape::Any;
        }
        jsonschema::validator_for(schema).map_or(Shape::Any, |validator| Shape::Foreign(Box::new(validator)))
    }
}

impl List {
    fn of(schema: &Map<String, Value>) -> List {
        let number = |key: &str| schema.get(key).and_then(Value::as_u64).map(|number| number as usize);
        let first = schema.get("prefixItems").and_then(Value::as_array);
        List {
            first: first.into_iter().flatten().map(Shape::of).collect(),
            rest: Box::new(schema.get("items").map_or(Shape::Any, Shape::of)),
            least: number("minItems").unwrap_or(0),
            most: number("maxItems").unwrap_or(usize::MAX),
            unique: schema.get("uniqueItems").is_some_and(|unique| *unique == true),
        }
    }
}

impl Object {
    fn of(schema: &Map<String, Value>) -> Object {
        let property = |(name, schema): (&String, &Value)| {
            (name.clone(), Property { shape: Shape::of(schema), default: None })
        };
        let names = schema.get("required").and_then(Value::as_array);
        let others = match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => None,
            Some(schema) => Some(Box::new(Shape::of(schema))),
            None => Some(Box::new(Shape::Any)),
        };
        Object {
            properties: schema
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .map(property)
                .collect(),
            required: names.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
            others,
        }
    }
}
