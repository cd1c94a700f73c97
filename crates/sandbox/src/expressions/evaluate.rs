//! Evaluating one question with minijinja.

use minijinja::value::Serde;
use minijinja::{Environment, ErrorKind, UndefinedBehavior, escape_formatter};
use serde_json::Value;
use thiserror::Error;

use super::{Kind, Question};

/// Instructions of one evaluation: enough for loops over a few thousand items, gone in some milliseconds.
const FUEL: u64 = 50_000;
/// The same for a block of a graph, whose lists are longer.
const BLOCK_FUEL: u64 = 500_000;

const NOTHING_THERE: &str = "the event has nothing there; give a fallback with `default`, as in `{{ event.output.name | default('nobody') }}`";

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{problem}")]
pub struct SyntaxError {
    pub problem: String,
}

/// Whether it can be understood at all.
pub fn check(kind: Kind, text: &str) -> Result<(), SyntaxError> {
    let environment = environment(kind);
    let understood = match kind {
        Kind::Expression => environment.compile_expression(text).map(drop),
        Kind::Template | Kind::StrictTemplate => environment.template_from_str(text).map(drop),
    };
    understood.map_err(|error| SyntaxError {
        problem: error.detail().unwrap_or("it is not an expression").to_owned(),
    })
}

/// What an expression looks at, as paths such as `event.output.total`, in order.
pub fn looked_at(expression: &str) -> Vec<String> {
    let environment = environment(Kind::Expression);
    let expression = environment.compile_expression(expression);
    let paths = expression.map(|expression| expression.undeclared_variables(true)).unwrap_or_default();
    let is_global = |path: &str| environment.globals().any(|(name, _)| name == path);
    let mut paths: Vec<String> = paths.into_iter().filter(|path| !is_global(path)).collect();
    paths.sort_unstable();
    paths
}

pub(super) fn evaluate(question: &Question) -> Result<Option<Value>, String> {
    let Question { kind, text, scope } = question;
    let environment = environment(*kind);
    let scope = Serde(scope);
    match kind {
        Kind::Expression => {
            let evaluated =
                environment.compile_expression(text).and_then(|expression| expression.eval(scope));
            let value = evaluated.map_err(|error| said(*kind, &error))?;
            if value.is_undefined() {
                return Ok(None);
            }
            serde_json::to_value(&value).map(Some).map_err(|error| error.to_string())
        }
        Kind::Template | Kind::StrictTemplate => {
            let rendered = environment.render_str(text, scope);
            rendered.map(|text| Some(Value::String(text))).map_err(|error| said(*kind, &error))
        }
    }
}

fn environment(kind: Kind) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_recursion_limit(64);
    if kind == Kind::StrictTemplate {
        environment.set_fuel(Some(BLOCK_FUEL));
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        return environment;
    }
    environment.set_fuel(Some(FUEL));
    // What an event lacks is not there, also below: `event.output.score > 1` is simply false without an output.
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    // A text with a hole in it is nothing to run a function with; a template that expects one says `default`.
    environment.set_formatter(|out, state, value| match value.is_undefined() {
        true => Err(ErrorKind::UndefinedError.into()),
        false => escape_formatter(out, state, value),
    });
    environment
}

/// What went wrong, not what the values are: there may be secrets in them.
fn said(kind: Kind, error: &minijinja::Error) -> String {
    match (kind, error.kind()) {
        (Kind::StrictTemplate, problem) => {
            let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
            format!("the template cannot be filled: {problem}{detail}")
        }
        (_, ErrorKind::UndefinedError) => NOTHING_THERE.to_owned(),
        (_, problem) => problem.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn value(kind: Kind, text: &str, event: Value) -> Result<Option<Value>, String> {
        evaluate(&Question {
            kind,
            text: text.to_owned(),
            scope: serde_json::Map::from_iter([("event".to_owned(), event)]),
        })
    }

    #[test]
    fn a_condition_sees_the_event_and_what_it_lacks_makes_it_false() {
        let holds =
            |text, event| value(Kind::Expression, text, event).map(|value| value == Some(json!(true)));
        let event = json!({"output": {"score": 0.9}, "source": "rate"});
        assert_eq!(holds("event.output.score > 0.8 and event.source == 'rate'", event.clone()), Ok(true));
        assert_eq!(holds("event.output.score > 0.95", event), Ok(false));
        assert_eq!(holds("event.output.score.deep == 1", json!({"output": null})), Ok(false));
        assert_eq!(holds("event.lost or event.gone", json!({})), Ok(false));
    }

    #[test]
    fn a_template_has_no_holes_but_those_it_says_what_stands_in_for() {
        let render = |text| value(Kind::Template, text, json!({"output": {"name": null}}));
        let hole = render("hi {{ event.data.name }}").unwrap_err();
        assert!(hole.starts_with("the event has nothing there; give a fallback"), "{hole}");
        assert_eq!(
            render("hi {{ event.a.b | default('you') }}{% for c in event.c %}c{% endfor %}"),
            Ok(Some(json!("hi you")))
        );
        assert_eq!(render("hi {{ event.output.name }}"), Ok(Some(json!("hi None"))));
    }

    #[test]
    fn an_expression_that_finds_nothing_is_undefined_and_a_null_is_something() {
        let made = |text| value(Kind::Expression, text, json!({"output": null}));
        assert_eq!(made("event.lost or event.gone"), Ok(None));
        assert_eq!(made("event.lost | default(3)"), Ok(Some(json!(3))));
        assert_eq!(made("event.output"), Ok(Some(Value::Null)));
    }

    #[test]
    fn a_value_keeps_its_type() {
        let event = json!({"output": [1, {"a": true}]});
        assert_eq!(value(Kind::Expression, "event.output[1]", event.clone()), Ok(Some(json!({"a": true}))));
        assert_eq!(value(Kind::Template, "n={{ event.output[0] }}", event), Ok(Some(json!("n=1"))));
    }

    #[test]
    fn a_block_may_not_use_what_is_missing() {
        assert_eq!(
            value(Kind::StrictTemplate, "Hi {{ event.n + 1 }}!", json!({"n": 1})),
            Ok(Some(json!("Hi 2!")))
        );
        let error = value(Kind::StrictTemplate, "Hi {{ event.name }}", json!({})).unwrap_err();
        assert!(error.starts_with("the template cannot be filled: undefined value"), "{error}");
    }

    #[test]
    fn what_never_ends_is_ended() {
        let template = "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}";
        for kind in [Kind::Template, Kind::StrictTemplate] {
            assert!(value(kind, template, json!({})).unwrap_err().contains("fuel"));
        }
    }
}
