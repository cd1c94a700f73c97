//! What a shape expects, in words.

use serde_json::Value;

use super::{List, Shape};
use crate::phrase::{cut, list};

/// More alternatives than this tell a reader nothing.
const SHOWN: usize = 8;
/// How much of a value among alternatives is shown.
const WIDTH: usize = 40;

impl Shape {
    pub(super) fn words(&self) -> String {
        match self {
            Shape::Any => "anything".to_owned(),
            Shape::Null => "null".to_owned(),
            Shape::Boolean => "true or false".to_owned(),
            Shape::Integer => "an integer".to_owned(),
            Shape::Number => "a number".to_owned(),
            Shape::Text(text) => text.words().to_owned(),
            Shape::List(list) => list.words(),
            Shape::Object(_) => "an object".to_owned(),
            Shape::OneOf(values) => one_of(values),
            Shape::Either(shapes) => either(shapes),
            Shape::Foreign(_) => "what its schema describes".to_owned(),
        }
    }
}

impl List {
    pub(super) fn words(&self) -> String {
        let values = if self.unique { "unique values" } else { "values" };
        match (self.least, self.most) {
            (0, usize::MAX) if self.unique => "a list of unique values".to_owned(),
            (0, usize::MAX) => "a list".to_owned(),
            (least, most) if least == most => format!("a list of length {least}"),
            (least, usize::MAX) => format!("a list of at least {least} {values}"),
            (least, most) => format!("a list of {least} to {most} {values}"),
        }
    }
}

fn one_of(values: &[Value]) -> String {
    let shown = |value: &Value| match value {
        Value::String(text) => format!("`{}`", cut(text, WIDTH)),
        other => format!("`{}`", cut(&other.to_string(), WIDTH)),
    };
    let mut words: Vec<String> = values.iter().take(SHOWN).map(shown).collect();
    if values.len() > SHOWN {
        words.push("…".to_owned());
    }
    match words.as_slice() {
        [one] => one.clone(),
        _ => format!("one of {}", words.join(", ")),
    }
}

fn either(shapes: &[Shape]) -> String {
    let mut words: Vec<String> = Vec::new();
    for shape in shapes {
        let more = shape.words();
        if !words.contains(&more) {
            words.push(more);
        }
    }
    words.truncate(SHOWN);
    list(&words, "or")
}
