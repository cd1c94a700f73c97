//! Conditions and templates over an Event: minijinja, with a limit on what one evaluation may do.

use minijinja::value::Serde;
use minijinja::{Environment, ErrorKind, UndefinedBehavior, escape_formatter};
use model::event::Event;
use model::input::path::Path;
use model::phrase::cut;
use model::trigger::mapping::Ask;
use serde_json::{Map, Value};
use thiserror::Error;

/// Instructions of one evaluation: enough for loops over a few thousand items, gone in some milliseconds.
const FUEL: u64 = 50_000;
/// Nobody writes a longer one by hand.
const LONGEST: usize = 10_000;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExpressionError {
    #[error("the expression is longer than {LONGEST} characters")]
    TooLong,
    #[error("`{text}` cannot be parsed: {problem}")]
    Syntax { text: String, problem: String },
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_fuel(Some(FUEL));
    // What an Event lacks is not there, also below: `event.output.score > 1` is simply false without an output.
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    environment.set_recursion_limit(64);
    // A text with a hole in it is nothing to run a function with; a template that expects one says `default`.
    environment.set_formatter(|out, state, value| match value.is_undefined() {
        true => Err(ErrorKind::UndefinedError.into()),
        false => escape_formatter(out, state, value),
    });
    environment
}

const NOTHING_THERE: &str = "the event has nothing there; give a fallback with `default`, as in `{{ event.output.name | default('nobody') }}`";

/// What went wrong, not what the Event holds: there may be secrets in it.
fn said(error: &minijinja::Error) -> String {
    match error.kind() {
        ErrorKind::UndefinedError => NOTHING_THERE.to_owned(),
        kind => kind.to_string(),
    }
}

/// Whether it can be understood at all.
pub fn check(ask: Ask<'_>) -> Result<(), ExpressionError> {
    let (Ask::Expression(text) | Ask::Template(text)) = ask;
    if text.len() > LONGEST {
        return Err(ExpressionError::TooLong);
    }
    let environment = environment();
    let understood = match ask {
        Ask::Expression(text) => environment.compile_expression(text).map(drop),
        Ask::Template(text) => environment.template_from_str(text).map(drop),
    };
    understood.map_err(|error| ExpressionError::Syntax {
        text: cut(text, 200),
        problem: error.detail().unwrap_or("it is not an expression").to_owned(),
    })
}

/// What a condition looks at, as paths such as `event.output.total`, in order.
pub(crate) fn looked_at(condition: &str) -> Vec<String> {
    let environment = environment();
    let expression = environment.compile_expression(condition);
    let paths = expression.map(|expression| expression.undeclared_variables(true)).unwrap_or_default();
    let is_global = |path: &str| environment.globals().any(|(name, _)| name == path);
    let mut paths: Vec<String> = paths.into_iter().filter(|path| !is_global(path)).collect();
    paths.sort_unstable();
    paths
}

/// Why an Event does not have what a path names, if it does not.
pub(crate) fn lacking(path: &str, event: &Event) -> Option<String> {
    let scope = Value::Object(Map::from_iter([("event".to_owned(), event.view())]));
    path.parse::<Path>().ok()?.select(&scope).err().map(|error| error.to_string())
}

/// Whether the condition holds for an Event.
pub(super) fn holds(text: &str, event: &Value) -> Result<bool, String> {
    Ok(value(text, event)?.is_some_and(|value| is_true(&value)))
}

/// What a part of an input becomes.
pub(super) fn evaluate(ask: Ask<'_>, event: &Value) -> Result<Value, String> {
    match ask {
        Ask::Expression(text) => value(text, event)?.ok_or_else(|| NOTHING_THERE.to_owned()),
        Ask::Template(text) => {
            environment().render_str(text, scope(event)).map(Value::String).map_err(|error| said(&error))
        }
    }
}

/// Absent if the Event has nothing there.
fn value(text: &str, event: &Value) -> Result<Option<Value>, String> {
    let environment = environment();
    let evaluated = environment.compile_expression(text).and_then(|expression| expression.eval(scope(event)));
    let value = evaluated.map_err(|error| said(&error))?;
    if value.is_undefined() {
        return Ok(None);
    }
    serde_json::to_value(&value).map(Some).map_err(|error| error.to_string())
}

fn scope(event: &Value) -> Serde<Map<String, Value>> {
    Serde(Map::from_iter([("event".to_owned(), event.clone())]))
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
    use serde_json::json;

    use super::*;

    #[test]
    fn a_condition_sees_the_event() {
        let event = json!({"output": {"score": 0.9}, "source": "rate"});
        assert_eq!(holds("event.output.score > 0.8 and event.source == 'rate'", &event), Ok(true));
        assert_eq!(holds("event.output.score > 0.95", &event), Ok(false));
    }

    #[test]
    fn what_an_event_lacks_makes_a_condition_false() {
        assert_eq!(holds("event.output.score.deep == 1", &json!({"output": null})), Ok(false));
    }

    #[test]
    fn a_template_has_no_holes_but_those_it_says_what_stands_in_for() {
        let render = |text| evaluate(Ask::Template(text), &json!({"output": {"name": null}}));
        let hole = render("hi {{ event.data.name }}").unwrap_err();
        assert!(hole.starts_with("the event has nothing there; give a fallback"), "{hole}");
        assert_eq!(
            render("hi {{ event.a.b | default('you') }}{% for c in event.c %}c{% endfor %}"),
            Ok(json!("hi you"))
        );
        assert_eq!(render("hi {{ event.output.name }}"), Ok(json!("hi None")));
    }

    #[test]
    fn an_expression_that_finds_nothing_is_told_so_and_a_null_is_something() {
        let made = |text| evaluate(Ask::Expression(text), &json!({"output": null}));
        assert_eq!(made("event.lost or event.gone"), Err(NOTHING_THERE.to_owned()));
        assert_eq!(made("event.lost | default(3)"), Ok(json!(3)));
        assert_eq!(made("event.output"), Ok(Value::Null));
        assert_eq!(holds("event.lost or event.gone", &json!({})), Ok(false));
    }

    #[test]
    fn a_condition_that_never_ends_is_stopped() {
        let endless = "range(100000)|map('abs')|list|length > 0 and range(100000)|sum > 0";
        let nested = "{% for a in range(1000) %}{% for b in range(1000) %}x{% endfor %}{% endfor %}";
        assert!(holds(endless, &json!({})).is_err() || holds(endless, &json!({})) == Ok(true));
        assert!(evaluate(Ask::Template(nested), &json!({})).is_err());
    }

    #[test]
    fn a_condition_that_is_none_is_refused_with_the_reason() {
        assert!(check(Ask::Expression("event.output >")).is_err());
        assert!(check(Ask::Expression("event.output > 1")).is_ok());
        assert_eq!(check(Ask::Expression(&"x".repeat(10_001))), Err(ExpressionError::TooLong));
        assert!(check(Ask::Template("{% for a in event.output %}{{ a }}{% endfor %}")).is_ok());
        assert!(check(Ask::Template("{% for a in event.output %}{{ a }}")).is_err());
    }

    #[test]
    fn a_value_keeps_its_type() {
        let event = json!({"output": [1, {"a": true}]});
        assert_eq!(evaluate(Ask::Expression("event.output[1]"), &event), Ok(json!({"a": true})));
        assert_eq!(evaluate(Ask::Template("n={{ event.output[0] }}"), &event), Ok(json!("n=1")));
    }
}
