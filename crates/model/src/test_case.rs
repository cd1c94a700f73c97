//! Tests a Version carries: an input and what must come of it, with stand-ins for what it calls.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestCase {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default)]
    pub input: Map<String, Value>,
    pub expect: Expect,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mocks: Vec<Mock>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

/// What a dependency or host verb answers in a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mock {
    pub function: String,
    pub output: Value,
}

#[derive(Debug, Error)]
#[error(
    "test {number} is not a test: {source}; write {{\"input\": {{…}}, \"expect\": {{\"output\": …}}}}, or expect `pins`, `schema` or `error`"
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
    fn a_test_without_an_expectation_is_refused_by_number() {
        let error = TestCase::list(&[json!({"expect": {"output": 1}}), json!({"input": {}})]).unwrap_err();
        insta::assert_snapshot!(error, @r#"test 2 is not a test: missing field `expect`; write {"input": {…}, "expect": {"output": …}}, or expect `pins`, `schema` or `error`"#);
    }
}
