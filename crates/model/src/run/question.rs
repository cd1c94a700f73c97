//! A question that a Run asks a person: a text, and optionally the possible answers.

use jiff::Timestamp;
use serde_json::{Value, json};
use thiserror::Error;

use super::Run;
use crate::access::actor::Actor;
use crate::budget::request;
use crate::event::{EventKind, NewEvent};
use crate::function::run_options::Record;
use crate::input::json_size::json_size;
use crate::phrase::{cut, list};

/// So many are named where an answer is none of them.
const NAMED: usize = 10;
const LONGEST: usize = 80;
/// Of the text of a question, so many characters are in the message of its Event and in lists.
pub const SHOWN: usize = 500;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{given} is not one of the options: {choices}")]
pub struct NotAnOption {
    pub given: String,
    pub choices: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the question and its options take {bytes} bytes; the maximum is {most} (setting `event_bytes`); ask with a short text, and \
     refer to what it is about, such as a file or the id of a run"
)]
pub struct TooLong {
    pub bytes: u64,
    pub most: u64,
}

/// It is in an Event and in lists, so it is bounded as an Event is.
pub fn check_size(question: &Value, most: u64) -> Result<(), TooLong> {
    let bytes = json_size(question);
    if bytes > most { Err(TooLong { bytes, most }) } else { Ok(()) }
}

/// What can be chosen; nothing if every answer will do.
pub fn options(question: &Value) -> &[Value] {
    question["options"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Whether someone may answer so.
pub fn check_answer(question: &Value, answer: &Value) -> Result<(), NotAnOption> {
    let options = options(question);
    let is_amount =
        || request::asked(question).is_some_and(|asked| request::granted(&asked, answer).is_some());
    if options.is_empty() || options.contains(answer) || is_amount() {
        return Ok(());
    }
    let mut named: Vec<String> = options.iter().take(NAMED).map(quoted).collect();
    let more = options.len() - named.len();
    if more > 0 {
        named.push(format!("{more} more"));
    }
    let last = if more > 0 { "and" } else { "or" };
    Err(NotAnOption { given: quoted(answer), choices: list(&named, last) })
}

/// What others hear of a question. Its text is left out if the Run may not be recorded: the Event would outlive it.
pub fn event(run: &Run, step: u32, question: &Value, at: Timestamp) -> NewEvent {
    let name = &run.key.name;
    let mut data = json!({ "run_id": run.run_id, "step": step, "chain": run.chain });
    let text = question["question"].as_str().filter(|_| run.how.record == Record::All);
    if let Some(text) = text {
        data["question"] = text.into();
        data["options"] = options(question).into();
        data["message"] = format!("`{name}` asks: {}", cut(text, SHOWN)).into();
    } else {
        data["message"] = format!("`{name}` asks a person and waits for the answer").into();
    }
    NewEvent {
        kind: EventKind::QuestionAsked,
        source: name.to_string(),
        data,
        actor: Actor::Run(run.run_id),
        at,
    }
}

fn quoted(value: &Value) -> String {
    format!("`{}`", cut(&value.to_string(), LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_one_of_the_options() {
        let question = json!({ "question": "How many?", "options": [1, 2, "many", null] });
        for answer in [json!(1), json!("many"), json!(null)] {
            assert_eq!(check_answer(&question, &answer), Ok(()));
        }
        let refused = check_answer(&question, &json!("1")).unwrap_err();
        insta::assert_snapshot!(refused, @r#"`"1"` is not one of the options: `1`, `2`, `"many"` or `null`"#);
    }

    #[test]
    fn a_question_is_as_large_as_an_event() {
        let question = json!({ "question": "x".repeat(100), "options": null });
        assert_eq!(check_size(&question, 200), Ok(()));
        let refused = check_size(&question, 100).unwrap_err();
        insta::assert_snapshot!(refused, @"the question and its options take 130 bytes; the maximum is 100 (setting `event_bytes`); ask with a short text, and refer to what it is about, such as a file or the id of a run");
    }

    #[test]
    fn without_options_every_answer_will_do() {
        for question in [json!({ "question": "Why?", "options": null }), json!({ "question": "Why?" })] {
            assert_eq!(check_answer(&question, &json!({ "because": [1] })), Ok(()));
        }
    }

    #[test]
    fn of_many_options_the_first_are_named() {
        let question = json!({ "question": "Which?", "options": (0..30).collect::<Vec<_>>() });
        let refused = check_answer(&question, &json!("x".repeat(500))).unwrap_err();
        assert_eq!(refused.choices, "`0`, `1`, `2`, `3`, `4`, `5`, `6`, `7`, `8`, `9` and 20 more");
        assert!(refused.given.chars().count() <= LONGEST + 2, "{}", refused.given);
    }

    #[test]
    fn an_event_has_the_question_unless_the_run_may_be_forgotten() {
        let question = json!({ "question": "Deploy marker?", "options": ["yes", "no"] });
        let mut run = crate::run::tests::run();
        let told = event(&run, 3, &question, Timestamp::UNIX_EPOCH).data;
        assert_eq!((&told["step"], &told["options"]), (&3.into(), &json!(["yes", "no"])));
        assert!(told["message"].as_str().unwrap().ends_with("asks: Deploy marker?"), "{told}");
        for record in [Record::None, Record::Errors, Record::Sample] {
            run.how.record = record;
            let told = event(&run, 3, &question, Timestamp::UNIX_EPOCH).data;
            assert!(!told.to_string().contains("marker"), "{told}");
        }
    }
}
