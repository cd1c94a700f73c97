//! How a Run ends, and what is recorded of that.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Ending, How, Run, RunError, RunState, Usage};
use crate::access::actor::Actor;
use crate::event::{EventKind, NewEvent};

/// How a Run ends, with whatever it answered.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    pub state: RunState,
    pub ending: Option<Ending>,
    pub output: Option<Value>,
    pub error: Option<RunError>,
    pub usage: Option<Usage>,
}

/// What is stored of the end of a Run.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    pub output: Option<Value>,
    pub error: Option<RunError>,
    /// What others hear of it.
    pub event: NewEvent,
}

impl End {
    pub fn succeeded(output: Value, usage: Usage) -> End {
        let (state, ending) = (RunState::Succeeded, Some(Ending::Returned));
        End { state, ending, output: Some(output), error: None, usage: Some(usage) }
    }

    /// Of a Run that could not go on, for a reason that is not its code's.
    pub fn failed(type_name: &str, message: impl Into<String>, ending: Option<Ending>) -> End {
        let error = RunError::of(type_name, message);
        End { state: RunState::Failed, ending, output: None, error: Some(error), usage: None }
    }

    pub fn cancelled(usage: Option<Usage>) -> End {
        End { state: RunState::Cancelled, ending: Some(Ending::Killed), output: None, error: None, usage }
    }
}

impl Run {
    /// As it is when it has ended, with its whole output.
    #[must_use]
    pub fn ended(self, end: End, at: Timestamp) -> Run {
        let End { state, ending, output, error, usage } = end;
        Run { state, ending, output, error, usage, finished_at: Some(at), waiting: None, ..self }
    }

    /// Whether what went in, what it did and what came out is kept, of a Run that ends so.
    pub fn keeps(&self, end: &End) -> bool {
        self.how.record.keeps(self.run_id, end.state == RunState::Succeeded)
    }

    /// Whether what went in, what it did and what came out is kept, of a Run that has ended.
    pub fn is_kept(&self) -> bool {
        self.how.record.keeps(self.run_id, self.state == RunState::Succeeded)
    }

    /// Whether its input is gone, because it has ended and is not kept.
    pub fn is_forgotten(&self) -> bool {
        self.state.is_final() && !self.is_kept()
    }

    /// What is stored of a Run that has ended, and told to others: its output no longer than `most_bytes`, or only that it ran, how it
    /// ended and how long it took.
    pub fn recorded(&self, most_bytes: usize) -> Recorded {
        let is_kept = self.is_kept();
        let output = self.output.as_ref().filter(|_| is_kept).map(|output| shortened(output, most_bytes));
        let error = if is_kept { self.error.clone() } else { self.error.as_ref().map(RunError::forgotten) };
        let event = self.end_event(output.as_ref(), error.as_ref());
        Recorded { output, error, event }
    }

    /// What is left of a Run that is not kept.
    #[must_use]
    pub fn forgotten(&self) -> Run {
        Run {
            input: Value::Null,
            output: None,
            error: self.error.as_ref().map(RunError::forgotten),
            waiting: None,
            // Its key may have been made of the input.
            how: How { concurrency: None, ..self.how.clone() },
            ..self.clone()
        }
    }

    fn end_event(&self, output: Option<&Value>, error: Option<&RunError>) -> NewEvent {
        let kind = match self.state {
            RunState::Succeeded => EventKind::RunFinished,
            RunState::Cancelled => EventKind::RunCancelled,
            _ => EventKind::RunFailed,
        };
        let mut data = json!({
            "run_id": self.run_id,
            "version_id": self.version_id,
            "error": error,
            "ending": self.ending,
            "chain": self.chain,
        });
        // A Trigger that needs what is not there starts nothing and says so.
        if self.is_kept() {
            data["input"] = self.input.clone();
            data["output"] = output.cloned().unwrap_or_default();
        }
        NewEvent {
            kind,
            source: self.key.name.to_string(),
            data,
            actor: Actor::Run(self.run_id),
            at: self.finished_at.unwrap_or(self.created_at),
        }
        .leaving_large_values()
    }
}

/// A value that is too long is kept as its beginning, with its length. Secrets have been redacted before, so no cut depends on
/// one.
fn shortened(value: &Value, most_bytes: usize) -> Value {
    if is_short(value, most_bytes) {
        return value.clone();
    }
    let text = value.to_string();
    if text.len() <= most_bytes {
        return value.clone();
    }
    let mut end = most_bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    json!({ "$described": { "type": "cut", "text": format!("{}… ({} bytes)", &text[..end], text.len()) } })
}

/// Most values are, and need not be written out to know it.
fn is_short(value: &Value, most_bytes: usize) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => text.len() * 6 < most_bytes,
        Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::run_options::Record;
    use crate::run::tests::run;

    fn end() -> End {
        End::succeeded(json!("an answer"), Usage::default())
    }

    #[test]
    fn a_value_that_is_too_long_is_cut_with_a_marker() {
        let cut = shortened(&json!({"text": "ä".repeat(100)}), 50);
        let text = cut["$described"]["text"].as_str().unwrap();
        assert!(text.starts_with("{\"text\":\"ää") && text.ends_with("… (211 bytes)"), "{text}");
    }

    #[test]
    fn a_short_value_stays_as_it_is() {
        let value = json!({"a": [1, "two", null]});
        assert_eq!(shortened(&value, 50), value);
    }

    #[test]
    fn the_caller_gets_the_whole_output_and_the_record_a_short_one() {
        let ended =
            run().ended(End::succeeded(json!("x".repeat(100)), Usage::default()), Timestamp::UNIX_EPOCH);
        assert_eq!(ended.output, Some(json!("x".repeat(100))));
        let recorded = ended.recorded(50);
        assert!(recorded.output.as_ref().is_some_and(|output| output["$described"]["type"] == "cut"));
        assert_eq!(recorded.event.data["output"], recorded.output.unwrap());
    }

    #[test]
    fn of_a_run_that_is_not_kept_nothing_is_told_but_how_it_ended() {
        let mut run = run();
        run.how.record = Record::None;
        run.input = json!({"marker": 1});
        let failed = End::failed("ValueError", "marker", Some(Ending::Raised));
        for end in [end(), failed, End::cancelled(None)] {
            assert!(!run.keeps(&end));
            let ended = run.clone().ended(end.clone(), Timestamp::UNIX_EPOCH);
            let recorded = ended.recorded(1 << 20);
            let told = format!(
                "{} {:?} {recorded:?}",
                serde_json::to_string(&ended.forgotten()).unwrap(),
                recorded.event.data
            );
            assert!(!told.contains("marker") && !told.contains("an answer"), "{told}");
            assert_eq!(ended.forgotten().state, end.state);
        }
    }
}
