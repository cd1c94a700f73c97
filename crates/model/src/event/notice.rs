//! What people are told of an Event that is for them.

use serde_json::{Map, Value, json};

use crate::event::Event;
use crate::function::signature::{Parameter, ParameterKind};

impl Event {
    /// In a sentence.
    pub fn message(&self) -> String {
        let fact = &self.fact;
        match fact.data["message"].as_str() {
            Some(message) => message.to_owned(),
            None => format!("{} of `{}`", fact.kind, fact.source),
        }
    }

    /// The input of a function that tells people: its first parameter gets the sentence, one that is called `event` the Event.
    pub fn notice_input(&self, parameters: &[Parameter]) -> Map<String, Value> {
        let is_single = |parameter: &&Parameter| {
            !matches!(parameter.kind, ParameterKind::VarPositional | ParameterKind::VarKeyword)
        };
        let mut input = Map::new();
        for (place, parameter) in parameters.iter().filter(is_single).enumerate() {
            let value = match parameter.name.as_str() {
                "event" => self.view(),
                _ if place == 0 => self.message().into(),
                _ => continue,
            };
            input.insert(parameter.name.clone(), value);
        }
        input
    }

    /// The body of a webhook that tells people. Chat services show `text`.
    pub fn notice_body(&self) -> Value {
        let fact = &self.fact;
        json!({
            "text": self.message(), "seq": self.seq, "kind": fact.kind, "source": fact.source, "at": fact.at, "data": fact.data,
        })
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::access::actor::Actor;
    use crate::event::{EventKind, NewEvent};
    use crate::python::analyse;

    fn asked() -> Event {
        let fact = NewEvent {
            kind: EventKind::QuestionAsked,
            source: "deploy".to_owned(),
            data: json!({ "message": "`deploy` asks: Now?", "step": 1 }),
            actor: Actor::CommandLine,
            at: Timestamp::UNIX_EPOCH,
        };
        Event { seq: 4, fact }
    }

    #[test]
    fn the_first_parameter_gets_the_sentence_and_event_the_event() {
        let input = |parameters: &str| {
            let source = format!("def tell({parameters}):\n    ...\n");
            Value::Object(asked().notice_input(&analyse(&source).unwrap().signature.parameters))
        };
        assert_eq!(input("text"), json!({ "text": "`deploy` asks: Now?" }));
        assert_eq!(input("text, title='', *more, **others"), json!({ "text": "`deploy` asks: Now?" }));
        assert_eq!(input("text, *, event")["event"]["data"]["step"], 1);
        assert_eq!(input("event")["event"]["kind"], "question.asked");
        assert_eq!(input(""), json!({}));
    }

    #[test]
    fn a_webhook_gets_the_sentence_as_text() {
        let body = asked().notice_body();
        assert_eq!((&body["text"], &body["data"]["step"]), (&"`deploy` asks: Now?".into(), &1.into()));
    }
}
