//! What built-in blocks do. Their input has been checked against their pins.

use std::sync::Arc;

use serde_json::Value;

use super::{Builtin, Effect, compare};
use crate::graph::Values;
use crate::graph::block::OUTPUT;
use crate::input::tagged::{elements, entries, pairs};

/// A pin and what leaves on it. What only passes through is not copied.
pub type Output = (String, Arc<Value>);

#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// All that leaves, in order.
    Outputs(Vec<Output>),
    /// What went wrong, in words.
    Failed(String),
    /// The engine executes it; [`Effect::outputs`] says what leaves then.
    Effect(Effect),
}

pub fn execute(builtin: Builtin, input: &Values) -> Answer {
    let outcome = match builtin {
        Builtin::Input | Builtin::Output => Ok(vec![output(OUTPUT, get(input, "value"))]),
        // A value that is given counts, also null, 0, false and the empty text.
        Builtin::Store => {
            Ok(vec![output(OUTPUT, get(input, if input.contains_key("data") { "data" } else { "input" }))])
        }
        Builtin::Condition => condition(input),
        Builtin::Iterate => Ok(iterate(&get(input, "items"))),
        Builtin::Collect => Ok(vec![output(OUTPUT, get(input, "items"))]),
        Builtin::Template | Builtin::Wait | Builtin::Ask | Builtin::Call => {
            match Effect::of(builtin, input) {
                Ok(effect) => return Answer::Effect(effect),
                Err(message) => Err(message),
            }
        }
        Builtin::Note | Builtin::Placeholder => Ok(Vec::new()),
    };
    match outcome {
        Ok(outputs) => Answer::Outputs(outputs),
        Err(message) => Answer::Failed(message),
    }
}

fn output(pin: &str, value: impl Into<Arc<Value>>) -> Output {
    (pin.to_owned(), value.into())
}

fn get(input: &Values, pin: &str) -> Arc<Value> {
    input.get(pin).cloned().unwrap_or_default()
}

/// `result`, then one of two outputs: the value given for it, or else the first that was compared.
fn condition(input: &Values) -> Result<Vec<Output>, String> {
    let (left, right) = (get(input, "value1"), get(input, "value2"));
    let operator = get(input, "operator");
    let holds = compare::holds(&left, operator.as_str().unwrap_or_default(), &right)?;
    let (given, pin) = if holds { ("yes_value", "yes_output") } else { ("no_value", "no_output") };
    let sent = input.get(given).cloned().unwrap_or(left);
    Ok(vec![output("result", Value::from(holds)), output(pin, sent)])
}

/// For each element its value and then its key: the index of a list, the key of an object.
fn iterate(items: &Value) -> Vec<Output> {
    let each = |(key, item): (Value, &Value)| [output("item", item.clone()), output("key", key)];
    if let Some(list) = elements(items) {
        return list.iter().enumerate().map(|(index, item)| (index.into(), item)).flat_map(each).collect();
    }
    if let Some(map) = entries(items) {
        return map.iter().map(|(key, item)| (key.as_str().into(), item)).flat_map(each).collect();
    }
    pairs(items).into_iter().flatten().map(|(key, item)| (key.clone(), item)).flat_map(each).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(builtin: Builtin, input: Value) -> Answer {
        execute(builtin, &crate::graph::values(input))
    }

    fn gives(builtin: Builtin, input: Value, outputs: &[(&str, Value)]) {
        let outputs = outputs.iter().map(|(pin, value)| output(pin, value.clone())).collect();
        assert_eq!(run(builtin, input), Answer::Outputs(outputs));
    }

    #[test]
    fn a_stored_value_may_be_falsy() {
        for data in [json!(0), json!(""), json!(false), json!(null)] {
            gives(Builtin::Store, json!({"input": 1, "data": data}), &[("output", data.clone())]);
            gives(Builtin::Store, json!({"input": data}), &[("output", data.clone())]);
        }
    }

    #[test]
    fn a_condition_gives_its_result_and_one_of_two_outputs() {
        let input = json!({"value1": 0, "operator": "<", "value2": 1, "no_value": "n"});
        gives(Builtin::Condition, input, &[("result", json!(true)), ("yes_output", json!(0))]);
        let input = json!({"value1": 2, "operator": "<", "value2": 1, "no_value": null});
        gives(Builtin::Condition, input, &[("result", json!(false)), ("no_output", json!(null))]);
        let input = json!({"value1": "2", "operator": "<", "value2": 1});
        assert!(matches!(run(Builtin::Condition, input), Answer::Failed(_)));
    }

    #[test]
    fn lists_tuples_objects_and_dicts_are_taken_apart() {
        gives(Builtin::Iterate, json!({"items": []}), &[]);
        let pair = [("item", json!(null)), ("key", json!(0))];
        gives(Builtin::Iterate, json!({"items": [null]}), &pair);
        gives(Builtin::Iterate, json!({"items": {"$tuple": [null]}}), &pair);
        gives(Builtin::Iterate, json!({"items": {"a": 1}}), &[("item", json!(1)), ("key", json!("a"))]);
        gives(
            Builtin::Iterate,
            json!({"items": {"$dict": [[7, 1]]}}),
            &[("item", json!(1)), ("key", json!(7))],
        );
    }

    #[test]
    fn effects_are_left_to_the_engine() {
        let Answer::Effect(effect) = run(Builtin::Wait, json!({"seconds": 2, "value": false})) else {
            panic!()
        };
        assert_eq!(effect.outputs(Value::Null), [output("output", json!(false))]);
        let refused = run(Builtin::Wait, json!({"until": "soon"}));
        let Answer::Failed(message) = refused else { panic!() };
        insta::assert_snapshot!(message, @"`until` must be a time such as `2026-01-31T09:00:00Z`, not `soon`");
        assert_eq!(
            run(Builtin::Wait, json!({})),
            Answer::Failed("give either `seconds` or `until`".to_owned())
        );
    }
}
