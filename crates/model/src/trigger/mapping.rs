//! What a Trigger's target gets: how an Event becomes input.
//!
//! Without a mapping the first parameter gets what the Event carries, as in BabyAGI. With one, a text that is exactly
//! `{{ event.output.score }}` becomes what the path selects, with its type; any other text with `{{ … }}` or `{% … %}`
//! is left to the server, which evaluates it as an expression or a template; everything else is taken as it stands.

use serde_json::{Map, Value};
use thiserror::Error;

use super::TriggerContent;
use crate::event::{Event, EventKind};
use crate::function::signature::{Parameter, ParameterKind};
use crate::input::path::Path;
use crate::phrase::cut;

/// What the server is asked to evaluate over the same Event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask<'a> {
    /// An expression, whose value keeps its type.
    Expression(&'a str),
    /// A template, whose value is text.
    Template(&'a str),
}

/// A text that the server evaluates, and the input it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextInput<'a> {
    pub input: &'a str,
    pub ask: Ask<'a>,
}

pub type Evaluate<'a> = &'a mut dyn FnMut(Ask<'_>) -> Result<Value, String>;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("input `{place}` cannot be made from `{text}`: {problem}")]
pub struct MappingError {
    pub place: String,
    pub text: String,
    pub problem: String,
}

impl TriggerContent {
    /// The input of the target, whose parameters are given.
    pub fn input_for(
        &self,
        event: &Event,
        parameters: &[Parameter],
        evaluate: Evaluate<'_>,
    ) -> Result<Map<String, Value>, MappingError> {
        let Some(input) = &self.input else { return default_input(event, parameters) };
        let scope = Map::from_iter([("event".to_owned(), event.view())]).into();
        let mut mapping = Mapping { scope: &scope, evaluate };
        input.iter().map(|(name, value)| Ok((name.clone(), mapping.value(name, value)?))).collect()
    }
}

/// Everything in a mapping that is to be evaluated, so that it can be checked before there is an Event.
pub fn asked(input: &Map<String, Value>) -> Vec<TextInput<'_>> {
    let mut all = Vec::new();
    for (name, value) in input {
        add_text(name, value, &mut all);
    }
    all
}

fn add_text<'a>(input: &'a str, value: &'a Value, all: &mut Vec<TextInput<'a>>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| add_text(input, item, all)),
        Value::Object(map) => map.values().for_each(|item| add_text(input, item, all)),
        Value::String(text) => match Text::of(text) {
            Text::Plain | Text::Path(_) => {}
            Text::Expression(expression) => all.push(TextInput { input, ask: Ask::Expression(expression) }),
            Text::Template => all.push(TextInput { input, ask: Ask::Template(text) }),
        },
        _ => {}
    }
}

struct Mapping<'a, 'b> {
    scope: &'a Value,
    evaluate: Evaluate<'b>,
}

impl Mapping<'_, '_> {
    fn value(&mut self, place: &str, value: &Value) -> Result<Value, MappingError> {
        match value {
            Value::String(text) => self.text(place, text),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(index, item)| self.value(&format!("{place}[{index}]"), item))
                .collect(),
            Value::Object(map) => map
                .iter()
                .map(|(key, item)| Ok((key.clone(), self.value(&format!("{place}.{key}"), item)?)))
                .collect::<Result<Map<_, _>, _>>()
                .map(Value::Object),
            other => Ok(other.clone()),
        }
    }

    fn text(&mut self, place: &str, text: &str) -> Result<Value, MappingError> {
        let made = match Text::of(text) {
            Text::Plain => return Ok(text.into()),
            Text::Path(path) => path.select(self.scope).cloned().map_err(|error| error.to_string()),
            Text::Expression(expression) => (self.evaluate)(Ask::Expression(expression)),
            Text::Template => (self.evaluate)(Ask::Template(text)),
        };
        made.map_err(|problem| MappingError { place: place.to_owned(), text: cut(text, 200), problem })
    }
}

enum Text<'a> {
    Plain,
    Path(Path),
    Expression(&'a str),
    Template,
}

impl Text<'_> {
    fn of(text: &str) -> Text<'_> {
        if !text.contains("{{") && !text.contains("{%") {
            return Text::Plain;
        }
        let inner = text.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")).map(str::trim);
        match inner {
            Some(inner) if !inner.contains(['{', '}']) => {
                inner.parse().map_or(Text::Expression(inner), Text::Path)
            }
            _ => Text::Template,
        }
    }
}

/// What is wrong with a mapping, as far as it can be told without an Event.
pub(super) fn flaws(input: &Map<String, Value>) -> Vec<String> {
    let mut flaws = Vec::new();
    for (name, value) in input {
        add_flaws(name, value, &mut flaws);
    }
    flaws
}

fn add_flaws(name: &str, value: &Value, flaws: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| add_flaws(name, item, flaws)),
        Value::Object(map) => map.values().for_each(|item| add_flaws(name, item, flaws)),
        Value::String(text) => {
            if let Text::Path(path) = Text::of(text)
                && path.root() != "event"
            {
                flaws.push(format!(
                    "its input `{name}` uses `{}`, but only `event` is known; write for example `{{{{ event.output }}}}`",
                    cut(path.root(), 40)
                ));
            }
        }
        _ => {}
    }
}

/// As BabyAGI does: what the Event carries as the first parameter, nothing if there is none.
fn default_input(event: &Event, parameters: &[Parameter]) -> Result<Map<String, Value>, MappingError> {
    let named = about_an_entry(event, parameters);
    if !named.is_empty() {
        return Ok(named);
    }
    let takes_one = |parameter: &&Parameter| {
        !matches!(parameter.kind, ParameterKind::VarPositional | ParameterKind::VarKeyword)
    };
    let first = parameters.iter().find(takes_one);
    let Some(first) = first else { return Ok(Map::new()) };
    let carried = carried(event).ok_or_else(|| MappingError {
        place: first.name.clone(),
        text: "event.output".to_owned(),
        problem: "the event has none, because the output of the run is not recorded".to_owned(),
    })?;
    Ok(Map::from_iter([(first.name.clone(), carried)]))
}

/// What a target that watches changes of entries asks for by name, as BabyAGI's `function_added_or_updated` does.
fn about_an_entry(event: &Event, parameters: &[Parameter]) -> Map<String, Value> {
    let action = match event.fact.kind {
        EventKind::Added(_) => "added",
        EventKind::Updated(_) => "updated",
        EventKind::Deleted(_) => "deleted",
        _ => return Map::new(),
    };
    let value = |parameter: &Parameter| match parameter.name.as_str() {
        "action" => Some(Value::from(action)),
        "triggered_function_name" | "function_name" => Some(event.fact.source.clone().into()),
        _ => None,
    };
    parameters.iter().filter_map(|parameter| Some((parameter.name.clone(), value(parameter)?))).collect()
}

/// What an Event has for whoever takes one thing; nothing if that is the output of a Run that is not recorded.
fn carried(event: &Event) -> Option<Value> {
    let fact = &event.fact;
    Some(match fact.kind {
        EventKind::RunFinished => fact.data.get("output")?.clone(),
        EventKind::RunFailed => fact.data.get("error").cloned().unwrap_or_default(),
        EventKind::Added(_) | EventKind::Updated(_) | EventKind::Deleted(_) | EventKind::SecretChanged => {
            fact.source.clone().into()
        }
        // What a Function emitted is told beside the Run that did.
        EventKind::Custom(_) => fact.data.get("output").unwrap_or(&fact.data).clone(),
        EventKind::RunCancelled
        | EventKind::PresetChanged
        | EventKind::ModelChanged
        | EventKind::ChangesetApplied
        | EventKind::ChangesetProposed
        | EventKind::ChangesetRejected
        | EventKind::QuestionAsked
        | EventKind::BudgetExhausted
        | EventKind::ScheduleTicked
        | EventKind::ScheduleFailing
        | EventKind::WebhookReceived => fact.data.clone(),
    })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::access::actor::Actor;
    use crate::entry::EntryKind;
    use crate::event::NewEvent;
    use crate::python::analyse;

    fn event(kind: EventKind, data: Value) -> Event {
        let fact = NewEvent {
            kind,
            source: "upstream".to_owned(),
            data,
            actor: Actor::CommandLine,
            at: Timestamp::UNIX_EPOCH,
        };
        Event { seq: 3, fact }
    }

    fn finished(output: &Value) -> Event {
        event(EventKind::RunFinished, json!({"run_id": "r", "output": output}))
    }

    fn parameters(signature: &str) -> Vec<Parameter> {
        analyse(&format!("def f({signature}):\n    pass\n")).unwrap().signature.parameters
    }

    fn default(event: &Event, signature: &str) -> Value {
        let trigger = TriggerContent::after("upstream", "f".parse().unwrap());
        let input = trigger.input_for(event, &parameters(signature), &mut |_| panic!("nothing to evaluate"));
        input.unwrap().into()
    }

    fn mapped(event: &Event, input: Value) -> Result<Value, String> {
        let mut trigger = TriggerContent::after("upstream", "f".parse().unwrap());
        trigger.input = serde_json::from_value(input).unwrap();
        let mut asked = |ask: Ask<'_>| match ask {
            Ask::Expression("boom()") => Err("it went wrong".to_owned()),
            Ask::Expression(text) => Ok(json!({ "expression": text })),
            Ask::Template(text) => Ok(format!("rendered {text}").into()),
        };
        trigger.input_for(event, &[], &mut asked).map(Value::Object).map_err(|error| error.to_string())
    }

    #[test]
    fn an_output_that_is_not_recorded_is_nothing_to_start_with() {
        let event = event(EventKind::RunFinished, json!({"run_id": "r"}));
        assert_eq!(default(&event, ""), json!({}));
        let trigger = TriggerContent::after("upstream", "f".parse().unwrap());
        let error = trigger.input_for(&event, &parameters("report"), &mut |_| panic!("nothing to evaluate"));
        let expected = "input `report` cannot be made from `event.output`: the event has none, because the output of the run is not recorded";
        assert_eq!(error.unwrap_err().to_string(), expected);
    }

    #[test]
    fn the_first_parameter_gets_the_output_of_the_run() {
        let event = finished(&json!({"score": 1}));
        assert_eq!(default(&event, "report, extra=None"), json!({"report": {"score": 1}}));
        assert_eq!(default(&event, "*, report"), json!({"report": {"score": 1}}));
        assert_eq!(default(&event, ""), json!({}));
        assert_eq!(default(&event, "*args, **more"), json!({}), "as in BabyAGI");
        assert_eq!(default(&finished(&Value::Null), "x"), json!({"x": null}));
    }

    #[test]
    fn every_other_event_carries_what_it_is_about() {
        let failed = event(EventKind::RunFailed, json!({"error": {"type": "KeyError"}}));
        assert_eq!(default(&failed, "error"), json!({"error": {"type": "KeyError"}}));
        let custom = event(EventKind::Custom("mail".to_owned()), json!({"subject": "hi"}));
        assert_eq!(default(&custom, "mail"), json!({"mail": {"subject": "hi"}}));
        let emitted = json!({"run_id": "r", "output": {"subject": "hi"}});
        let emitted = event(EventKind::Custom("mail".to_owned()), emitted);
        assert_eq!(default(&emitted, "mail"), json!({"mail": {"subject": "hi"}}));
        let secret = event(EventKind::SecretChanged, json!({}));
        assert_eq!(default(&secret, "name"), json!({"name": "upstream"}));
    }

    #[test]
    fn a_target_that_watches_functions_gets_action_and_name() {
        let updated = event(EventKind::Updated(EntryKind::Function), json!({"to": 2}));
        assert_eq!(
            default(&updated, "action, triggered_function_name"),
            json!({"action": "updated", "triggered_function_name": "upstream"})
        );
        assert_eq!(default(&updated, "function_name, strict=True"), json!({"function_name": "upstream"}));
        assert_eq!(default(&updated, "target"), json!({"target": "upstream"}));
        let finished = finished(&json!(1));
        assert_eq!(default(&finished, "action, other=None"), json!({"action": 1}), "a run is no entry");
    }

    #[test]
    fn a_path_alone_keeps_the_type_of_what_it_selects() {
        let event = finished(&json!({"score": 0.5, "items": [{"k": null}], "odd key": {"$tuple": [1, 2]}}));
        let input = json!({
            "score": "{{ event.output.score }}", "item": ["{{event.output.items[0]}}"],
            "odd": {"deep": "{{ event.output['odd key'][1] }}"}, "from": "{{ event.source }}",
            "seq": "{{ event.seq }}", "kind": "{{ event.kind }}", "plain": "as it is", "n": 1,
        });
        assert_eq!(
            mapped(&event, input).unwrap(),
            json!({
                "score": 0.5, "item": [{"k": null}], "odd": {"deep": 2}, "from": "upstream", "seq": 3,
                "kind": "run.finished", "plain": "as it is", "n": 1,
            })
        );
    }

    #[test]
    fn what_is_more_than_a_path_is_left_to_the_server() {
        let event = finished(&json!(1));
        let input = json!({"sum": "{{ event.output + 1 }}", "text": "is {{ event.output }}!", "two": "{{ a }} {{ b }}"});
        assert_eq!(
            mapped(&event, input).unwrap(),
            json!({
                "sum": {"expression": "event.output + 1"},
                "text": "rendered is {{ event.output }}!", "two": "rendered {{ a }} {{ b }}",
            })
        );
    }

    #[test]
    fn what_will_be_evaluated_is_known_before() {
        let input =
            json!({"a": ["{{ event.n + 1 }}", "{{ event.n }}"], "b": {"c": "n={{ event.n }}"}, "d": "plain"});
        let asked: Vec<(&str, Ask<'_>)> =
            asked(input.as_object().unwrap()).iter().map(|asked| (asked.input, asked.ask)).collect();
        assert_eq!(asked, [("a", Ask::Expression("event.n + 1")), ("b", Ask::Template("n={{ event.n }}"))]);
    }

    #[test]
    fn what_is_not_there_is_an_error_that_names_the_place() {
        let event = finished(&json!({"scores": 1}));
        insta::assert_snapshot!(mapped(&event, json!({"x": {"y": "{{ event.output.score }}"}})).unwrap_err(), @"input `x.y` cannot be made from `{{ event.output.score }}`: `event.output` has no `score`; did you mean `scores`?");
        insta::assert_snapshot!(mapped(&event, json!({"x": "{{ boom }}"})).unwrap_err(), @"input `x` cannot be made from `{{ boom }}`: `boom` is unknown; known: `event`");
        insta::assert_snapshot!(mapped(&event, json!({"x": "{{ boom() }}"})).unwrap_err(), @"input `x` cannot be made from `{{ boom() }}`: it went wrong");
        insta::assert_snapshot!(mapped(&event, json!({"x": "{{ event.output.scores[0] }}"})).unwrap_err(), @"input `x` cannot be made from `{{ event.output.scores[0] }}`: `event.output.scores` is the number 1, which has no elements");
    }

    #[test]
    fn a_mapping_that_uses_anything_but_the_event_has_a_flaw() {
        let input = json!({"x": ["{{ evnt.output }}"], "y": "{{ event.output }}", "z": "{{ 1 + 1 }}"});
        insta::assert_snapshot!(flaws(input.as_object().unwrap()).join("\n"), @"its input `x` uses `evnt`, but only `event` is known; write for example `{{ event.output }}`");
    }
}
