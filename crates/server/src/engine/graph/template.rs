//! The block `@template`: minijinja, with a limit on what filling one may do.

use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use serde_json::{Map, Value};

/// Enough for loops over some ten thousand items.
const FUEL: u64 = 500_000;

/// A value that is not there is an error: a text with a hole in it is seldom meant, and `default` says so where it is.
pub(super) fn render(template: &str, values: &Map<String, Value>) -> Result<String, String> {
    let mut environment = Environment::new();
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(64);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.render_str(template, Serde(values.clone())).map_err(|error| {
        let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
        format!("the template cannot be filled: {}{detail}", error.kind())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filled(template: &str, values: &Value) -> Result<String, String> {
        render(template, values.as_object().unwrap())
    }

    #[test]
    fn values_are_filled_in_and_a_hole_is_told() {
        assert_eq!(
            filled("Hi {{ name }}, {{ n + 1 }}!", &json!({"name": "Ann", "n": 1})).unwrap(),
            "Hi Ann, 2!"
        );
        let error = filled("Hi {{ name }}", &json!({})).unwrap_err();
        assert!(error.starts_with("the template cannot be filled: undefined value"), "{error}");
    }

    #[test]
    fn a_template_that_never_ends_is_ended() {
        let template = "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}";
        assert!(filled(template, &json!({})).unwrap_err().contains("fuel"));
    }
}
