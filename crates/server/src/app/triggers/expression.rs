//! Conditions and templates over an Event.

use std::collections::HashMap;

use model::event::Event;
use model::input::path::Path;
use model::phrase::cut;
use model::trigger::mapping::Ask;
use sandbox::Expressions;
use sandbox::expressions::{self, Kind, Question};
use serde_json::{Map, Value};
use thiserror::Error;

/// Nobody writes a longer one by hand.
const LONGEST: usize = 10_000;

const NOTHING_THERE: &str = "the event has nothing there; give a fallback with `default`, as in `{{ event.output.name | default('nobody') }}`";

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum ExpressionError {
    #[error("the expression is longer than {LONGEST} characters")]
    TooLong,
    #[error("`{text}` cannot be parsed: {problem}")]
    Syntax { text: String, problem: String },
}

/// Whether it can be understood at all.
pub(crate) fn check(ask: Ask<'_>) -> Result<(), ExpressionError> {
    let (kind, text) = asked(ask);
    if text.len() > LONGEST {
        return Err(ExpressionError::TooLong);
    }
    expressions::check(kind, text)
        .map_err(|error| ExpressionError::Syntax { text: cut(text, 200), problem: error.problem })
}

/// What a condition looks at, as paths such as `event.output.total`, in order.
pub(crate) fn looked_at(condition: &str) -> Vec<String> {
    expressions::looked_at(condition)
}

/// Why an Event does not have what a path names, if it does not.
pub(crate) fn lacking(path: &str, event: &Event) -> Option<String> {
    let scope = Value::Object(Map::from_iter([("event".to_owned(), event.view())]));
    path.parse::<Path>().ok()?.select(&scope).err().map(|error| error.to_string())
}

/// Whether the condition holds for an Event.
pub(in crate::app) async fn holds(
    expressions: &Expressions,
    text: &str,
    event: &Value,
) -> Result<bool, String> {
    Ok(value(expressions, Kind::Expression, text, event).await?.is_some_and(|value| is_true(&value)))
}

/// What the parts of an input become that are to be evaluated.
pub(in crate::app) struct Evaluated(HashMap<(Kind, String), Result<Value, String>>);

impl Evaluated {
    pub(in crate::app) async fn of(
        expressions: &Expressions,
        asks: impl Iterator<Item = Ask<'_>>,
        event: &Value,
    ) -> Evaluated {
        let mut evaluated = HashMap::new();
        for ask in asks {
            let (kind, text) = asked(ask);
            let value = value(expressions, kind, text, event).await;
            let value = value.and_then(|value| value.ok_or_else(|| NOTHING_THERE.to_owned()));
            evaluated.insert((kind, text.to_owned()), value);
        }
        Evaluated(evaluated)
    }

    pub(in crate::app) fn get(&self, ask: Ask<'_>) -> Result<Value, String> {
        let (kind, text) = asked(ask);
        let known = self.0.get(&(kind, text.to_owned())).cloned();
        known.unwrap_or_else(|| Err("it was not evaluated".to_owned()))
    }
}

fn asked(ask: Ask<'_>) -> (Kind, &str) {
    match ask {
        Ask::Expression(text) => (Kind::Expression, text),
        Ask::Template(text) => (Kind::Template, text),
    }
}

/// Absent if the Event has nothing there.
async fn value(
    expressions: &Expressions,
    kind: Kind,
    text: &str,
    event: &Value,
) -> Result<Option<Value>, String> {
    let scope = Map::from_iter([("event".to_owned(), event.clone())]);
    expressions.evaluate(&Question { kind, text: text.to_owned(), scope }).await
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(bool) => *bool,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_that_is_none_is_refused_with_the_reason() {
        assert!(check(Ask::Expression("event.output >")).is_err());
        assert!(check(Ask::Expression("event.output > 1")).is_ok());
        assert_eq!(check(Ask::Expression(&"x".repeat(10_001))), Err(ExpressionError::TooLong));
        assert!(check(Ask::Template("{% for a in event.output %}{{ a }}{% endfor %}")).is_ok());
        assert!(check(Ask::Template("{% for a in event.output %}{{ a }}")).is_err());
    }
}
