//! A question by which a Run asks a person for a larger budget, and what answers to it mean.

use serde_json::{Value, json};

use super::limits::Limits;

const YES: &str = "yes";
const NO: &str = "no";

/// As it is stored and shown. The amounts are part of the text, so that whoever answers knows what `yes` means.
pub fn question(reason: &str, asked: &Limits) -> Value {
    json!({
        "question": format!("{reason} (it asks for {} more)", asked.shown()),
        "options": [YES, NO],
        "budget": asked,
    })
}

/// What a question asks for, if it is one for a larger budget.
pub fn asked(question: &Value) -> Option<Limits> {
    serde_json::from_value(question.get("budget")?.clone()).ok()
}

/// What an answer grants: `yes` all that was asked for, `no` nothing, and amounts those. None if it is no such answer.
pub fn granted(asked: &Limits, answer: &Value) -> Option<Limits> {
    match answer {
        Value::String(text) if text == YES => Some(*asked),
        Value::String(text) if text == NO => Some(Limits::default()),
        Value::Object(_) => Limits::of_option(answer).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::money::Money;
    use super::*;

    #[test]
    fn a_person_says_yes_or_no_or_how_much() {
        let more = Limits { money: Some(Money(250_000)), turns: Some(3), ..Limits::default() };
        let question = question("Two tests still fail.", &more);
        assert_eq!(question["question"], "Two tests still fail. (it asks for $0.25, 3 turns more)");
        assert_eq!(asked(&question), Some(more));
        assert_eq!(asked(&json!({"question": "Why?"})), None);
        assert_eq!(granted(&more, &json!("yes")), Some(more));
        assert_eq!(granted(&more, &json!("no")), Some(Limits::default()));
        assert_eq!(
            granted(&more, &json!({"turns": 1})),
            Some(Limits { turns: Some(1), ..Limits::default() })
        );
        for other in [json!("maybe"), json!({"euros": 1}), json!(true)] {
            assert_eq!(granted(&more, &other), None, "{other}");
        }
    }
}
