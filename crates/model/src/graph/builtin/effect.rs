//! Effects: what some built-in blocks ask of the engine. Which pin the result leaves on is said here.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Builtin, Output};
use crate::graph::Values;
use crate::graph::block::OUTPUT;

#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Pass the value on when the time has come. It holds no cell meanwhile.
    Wait { time: WaitTime, value: Arc<Value> },
    /// Ask a person: `question`, and `options` if the answer is not free.
    Ask { question: Value },
    /// Fill a template. What it takes is not bounded by its length, so it is done where memory and time are.
    Render { template: String, values: Map<String, Value> },
    /// Run a Graph or Function that is named by a value.
    Call { name: String, version: Option<u32>, input: Map<String, Value> },
}

#[derive(Clone, Debug, PartialEq)]
pub enum WaitTime {
    Seconds(f64),
    /// A moment such as `2026-01-31T09:00:00Z`.
    Until(jiff::Timestamp),
}

impl Effect {
    pub(super) fn of(builtin: Builtin, input: &Values) -> Result<Effect, String> {
        match builtin {
            Builtin::Wait => {
                let value = input.get("value").cloned().unwrap_or_default();
                Ok(Effect::Wait { time: wait_time(input)?, value })
            }
            Builtin::Ask => {
                let question = input.iter().map(|(pin, value)| (pin.clone(), Value::clone(value)));
                Ok(Effect::Ask { question: Value::Object(question.collect()) })
            }
            Builtin::Template => Ok(Effect::Render {
                template: input.get("template").and_then(|text| text.as_str()).unwrap_or_default().to_owned(),
                values: input
                    .get("values")
                    .and_then(|values| values.as_object())
                    .cloned()
                    .unwrap_or_default(),
            }),
            _ => Ok(Effect::Call {
                name: input.get("graph").and_then(|name| name.as_str()).unwrap_or_default().to_owned(),
                version: version(input)?,
                input: input.get("input").and_then(|input| input.as_object()).cloned().unwrap_or_default(),
            }),
        }
    }

    /// What leaves the node when the effect is over. `result` is the answer of a person, the text, or what the call returned; a wait has
    /// none.
    pub fn outputs(self, result: Value) -> Vec<Output> {
        match self {
            Effect::Wait { value, .. } => vec![(OUTPUT.to_owned(), value)],
            Effect::Ask { .. } => vec![("answer".to_owned(), result.into())],
            Effect::Render { .. } | Effect::Call { .. } => vec![(OUTPUT.to_owned(), result.into())],
        }
    }
}

fn wait_time(input: &Values) -> Result<WaitTime, String> {
    match (input.get("seconds"), input.get("until").and_then(|until| until.as_str())) {
        (Some(seconds), None) => match seconds.as_f64().filter(|seconds| *seconds >= 0.0) {
            Some(seconds) => Ok(WaitTime::Seconds(seconds)),
            None => Err(format!("`seconds` must be a number from 0, not {seconds}")),
        },
        (None, Some(until)) => {
            let refused = |_| format!("`until` must be a time such as `2026-01-31T09:00:00Z`, not `{until}`");
            until.parse().map(WaitTime::Until).map_err(refused)
        }
        _ => Err("give either `seconds` or `until`".to_owned()),
    }
}

fn version(input: &Values) -> Result<Option<u32>, String> {
    let Some(given) = input.get("version") else { return Ok(None) };
    let number = given.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
    number.map(Some).ok_or_else(|| format!("`version` must be a whole number above 0, not {given}"))
}
