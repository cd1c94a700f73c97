//! Tests a Version carries: an input and what must come of it, with stand-ins for what it calls.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::run::RunError;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TestCase {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Who says what is expected; left out where it is the default, so that what is stored keeps its hash.
    #[serde(default, skip_serializing_if = "TestKind::is_exact")]
    pub kind: TestKind,
    #[serde(default)]
    pub input: Map<String, Value>,
    pub expect: Expect,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mocks: Vec<Mock>,
}

/// Where the expectation of a test comes from, which says how much it weighs when it is disputed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestKind {
    /// Whoever asked for the function said so.
    #[default]
    Exact,
    /// Somebody worked it out, and may be wrong: a witness, not a judge.
    Generated,
    /// A recorded run did so.
    Regression,
}

impl TestKind {
    pub fn as_str(self) -> &'static str {
        match self {
            TestKind::Exact => "exact",
            TestKind::Generated => "generated",
            TestKind::Regression => "regression",
        }
    }

    fn is_exact(&self) -> bool {
        *self == TestKind::Exact
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Expect {
    /// Exactly this output.
    Output(Value),
    /// A generator's `(pin, value)` pairs, in order.
    Pins(Vec<(String, Value)>),
    /// Any output that fits this JSON Schema.
    Schema(Value),
    /// An exception of this type, whose text contains this message.
    Error {
        #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
        type_name: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
}

/// No reason is longer than that.
const LONGEST_VALUE: usize = 300;

impl Expect {
    /// Whether this is what was expected; if not, what came instead.
    pub fn judge(&self, outcome: Result<Value, RunError>) -> Result<(), String> {
        match (self, outcome) {
            (Expect::Error { type_name, message }, Err(error)) => {
                judge_error(type_name.as_deref(), message.as_deref(), &error)
            }
            (Expect::Error { .. }, Ok(value)) => {
                Err(format!("expected an error, but it returned {}", short(&value)))
            }
            (_, Err(error)) => Err(format!("it raised {}: {}", error.type_name, error.message)),
            (Expect::Output(expected), Ok(value)) => judge_output(expected, &value),
            (Expect::Pins(expected), Ok(value)) => {
                let pairs =
                    expected.iter().map(|(pin, value)| Value::from(vec![pin.clone().into(), value.clone()]));
                judge_output(&Value::Array(pairs.collect()), &value)
            }
            (Expect::Schema(schema), Ok(value)) => judge_schema(schema, &value),
        }
    }
}

fn judge_error(type_name: Option<&str>, message: Option<&str>, error: &RunError) -> Result<(), String> {
    let came = format!("{}: {}", error.type_name, error.message);
    // `requests.HTTPError` may be expected as `HTTPError`.
    let is_type =
        |expected: &str| error.type_name == expected || error.type_name.rsplit('.').next() == Some(expected);
    match (type_name, message) {
        (Some(expected), _) if !is_type(expected) => {
            Err(format!("expected {expected}, but it raised {came}"))
        }
        (_, Some(expected)) if !error.message.contains(expected) => {
            Err(format!("expected an error that says `{expected}`, but it raised {came}"))
        }
        _ => Ok(()),
    }
}

fn judge_output(expected: &Value, value: &Value) -> Result<(), String> {
    if is_equal(expected, value) {
        return Ok(());
    }
    Err(format!("expected {}, but it returned {}", short(expected), short(value)))
}

fn judge_schema(schema: &Value, value: &Value) -> Result<(), String> {
    let validator =
        jsonschema::validator_for(schema).map_err(|error| format!("the schema is not valid: {error}"))?;
    match validator.validate(&plain(value)) {
        Ok(()) => Ok(()),
        Err(error) => Err(format!("it returned {}: {error}", short(value))),
    }
}

/// As Python compares: 1 is 1.0, and what is written as a list may be a tuple, because JSON has no other way to say it.
pub fn is_equal(expected: &Value, value: &Value) -> bool {
    match (expected, value) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
        }
        (Value::Array(_), Value::Object(_)) => tuple(value).is_some_and(|items| is_equal(expected, items)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_equal(a, b)))
        }
        (a, b) => a == b,
    }
}

/// The items of a tuple.
fn tuple(value: &Value) -> Option<&Value> {
    let fields = value.as_object()?;
    (fields.len() == 1).then(|| fields.get("$tuple")).flatten()
}

/// With tuples as lists, for a schema that knows no others.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(plain).collect()),
        Value::Object(fields) => match tuple(value) {
            Some(items) => plain(items),
            None => Value::Object(fields.iter().map(|(key, value)| (key.clone(), plain(value))).collect()),
        },
        other => other.clone(),
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// What a dependency or host verb returns in a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Mock {
    pub function: String,
    pub output: Value,
    /// What the calls after the first return; absent if all return the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Value>,
}

impl Mock {
    /// Of what was returned, in order; `null` if there was nothing.
    pub fn of(function: impl Into<String>, mut outputs: Vec<Value>) -> Mock {
        let function = function.into();
        let output = if outputs.is_empty() { Value::Null } else { outputs.remove(0) };
        let then = if outputs.iter().all(|other| *other == output) { Vec::new() } else { outputs };
        Mock { function, output, then }
    }

    /// What the call after so many others returns; nothing if the test says of no such call.
    pub fn answer(&self, calls_before: usize) -> Option<&Value> {
        match calls_before.checked_sub(1) {
            Some(before) if !self.then.is_empty() => self.then.get(before),
            _ => Some(&self.output),
        }
    }
}

#[derive(Debug, Error)]
#[error(
    "test {number} is not valid: {source}; write {{\"input\": {{…}}, \"expect\": {{\"output\": …}}}}, or expect `pins`, `schema` or `error`"
)]
pub struct TestError {
    number: usize,
    #[source]
    source: serde_json::Error,
}

impl TestCase {
    /// From the literals of a decorator or a file, counting from 1 in errors.
    pub fn list(values: &[Value]) -> Result<Vec<TestCase>, TestError> {
        values
            .iter()
            .enumerate()
            .map(|(index, value)| {
                serde_json::from_value(value.clone())
                    .map_err(|source| TestError { number: index + 1, source })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_kind_of_expectation_reads_back_as_it_was_written() {
        for expect in [
            json!({"output": null}),
            json!({"pins": [["a", 1], ["b", [2]]]}),
            json!({"schema": {"type": "integer"}}),
            json!({"error": {"type": "ValueError", "message": "empty"}}),
        ] {
            let value = json!({"input": {"x": 1}, "expect": expect});
            let cases = TestCase::list(std::slice::from_ref(&value)).unwrap();
            assert_eq!(serde_json::to_value(&cases[0]).unwrap(), value);
        }
    }

    #[test]
    fn the_kind_of_a_test_is_stored_only_where_it_is_not_exact() {
        let written = |test: Value| {
            let cases = TestCase::list(&[test]).unwrap();
            serde_json::to_value(&cases[0]).unwrap()
        };
        let plain = json!({"input": {}, "expect": {"output": 1}});
        assert_eq!(written(plain.clone()), plain, "what is stored already keeps its hash");
        let exact = json!({"kind": "exact", "input": {}, "expect": {"output": 1}});
        assert_eq!(written(exact), plain, "to say what is the default changes nothing");
        for kind in ["generated", "regression"] {
            let test = json!({"kind": kind, "input": {}, "expect": {"output": 1}});
            assert_eq!(written(test.clone()), test);
        }
        let unknown = json!({"kind": "guessed", "input": {}, "expect": {"output": 1}});
        let error = TestCase::list(&[unknown]).unwrap_err().to_string();
        assert!(
            error.contains("unknown variant `guessed`, expected one of `exact`, `generated`, `regression`"),
            "{error}"
        );
    }

    #[test]
    fn a_test_without_an_expectation_is_refused_by_number() {
        let error = TestCase::list(&[json!({"expect": {"output": 1}}), json!({"input": {}})]).unwrap_err();
        insta::assert_snapshot!(error, @r#"test 2 is not valid: missing field `expect`; write {"input": {…}, "expect": {"output": …}}, or expect `pins`, `schema` or `error`"#);
    }

    fn judge(expect: Value, outcome: Result<Value, (&str, &str)>) -> Result<(), String> {
        let expect: Expect = serde_json::from_value(expect).unwrap();
        expect.judge(outcome.map_err(|(type_name, message)| RunError::of(type_name, message)))
    }

    #[test]
    fn numbers_and_tuples_are_compared_as_python_would() {
        assert_eq!(judge(json!({"output": [1, 2.0]}), Ok(json!({"$tuple": [1.0, 2]}))), Ok(()));
        assert_eq!(judge(json!({"pins": [["a", 1]]}), Ok(json!([{"$tuple": ["a", 1]}]))), Ok(()));
        assert!(judge(json!({"output": "1"}), Ok(json!(1))).is_err());
        assert!(judge(json!({"output": {"a": 1}}), Ok(json!({"a": 1, "b": 2}))).is_err());
    }

    #[test]
    fn an_expected_error_is_reported_by_type_and_text() {
        let expect = json!({"error": {"type": "HTTPError", "message": "404"}});
        assert_eq!(judge(expect.clone(), Err(("requests.HTTPError", "404 not found"))), Ok(()));
        let other = judge(expect.clone(), Err(("ValueError", "404"))).unwrap_err();
        assert_eq!(other, "expected HTTPError, but it raised ValueError: 404");
        assert_eq!(judge(expect, Ok(json!(1))).unwrap_err(), "expected an error, but it returned 1");
    }

    #[test]
    fn a_mock_returns_one_after_the_other_or_always_the_same() {
        let answers = |outputs: Vec<i32>| {
            let mock = Mock::of("f", outputs.into_iter().map(Value::from).collect());
            (0..3).map(|before| mock.answer(before).cloned()).collect::<Vec<_>>()
        };
        assert_eq!(answers(vec![1, 1]), [Some(json!(1)), Some(json!(1)), Some(json!(1))]);
        assert_eq!(answers(vec![1, 2]), [Some(json!(1)), Some(json!(2)), None]);
        let stored = json!({"function": "f", "output": null});
        let mock: Mock = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(serde_json::to_value(mock).unwrap(), stored);
    }

    #[test]
    fn a_schema_judges_what_was_returned() {
        let expect = json!({"schema": {"type": "array", "items": {"type": "integer"}}});
        assert_eq!(judge(expect.clone(), Ok(json!({"$tuple": [1, 2]}))), Ok(()));
        assert!(judge(expect, Ok(json!(["a"]))).is_err());
    }
}
