//! Which fields Events have: whether what a condition looks at can be there at all.

use serde_json::Value;

use super::on::On;
use crate::changeset::check::nearest;
use crate::event::EventKind;
use crate::phrase::list;

/// What every Event has.
const OWN: [&str; 6] = ["seq", "kind", "source", "data", "actor", "at"];
/// Of a schema that names more, only the nearest would be read.
const NAMED: usize = 8;

/// What is known of a field before any Event is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// No Event has it: why not, in words.
    Never(String),
    /// It may be there. If nothing says so, Events that happened can be asked.
    Possible { is_declared: bool },
}

impl On {
    /// Whether the Events it waits for have what `event.output.total` names. `output` is the schema of what the watched Function returns,
    /// if that is known.
    pub fn field(&self, path: &str, output: Option<&Value>) -> Field {
        let possible = Field::Possible { is_declared: false };
        let mut parts = path.split('.');
        if parts.next() != Some("event") {
            return possible;
        }
        let parts: Vec<&str> = parts.collect();
        // The data are under their own names, too.
        let (place, parts) = match parts.as_slice() {
            ["data", rest @ ..] => ("event.data", rest),
            all => ("event", all),
        };
        let (Some((first, rest)), Some(known)) = (parts.split_first(), self.fields(place)) else {
            return possible;
        };
        if !known.contains(first) {
            return Field::Never(lacks(place, first, &known));
        }
        match output.filter(|_| *first == "output") {
            Some(schema) => in_schema(schema, &format!("{place}.output"), rest),
            None => Field::Possible { is_declared: rest.is_empty() },
        }
    }

    /// The fields at a place; none if senders decide.
    fn fields(&self, place: &str) -> Option<Vec<&'static str>> {
        let kinds = EventKind::fixed().into_iter().filter(|kind| self.fits(kind));
        let custom = EventKind::Custom(String::new());
        let is_custom = match self {
            On::Kind(kind) => matches!(kind, EventKind::Custom(_)),
            On::Pattern(pattern) => pattern.starts_with(['c', '*', '?', '[']),
        };
        let mut known = if place == "event" { OWN.to_vec() } else { Vec::new() };
        for kind in kinds.chain(is_custom.then_some(custom)) {
            known.extend(kind.fields()?);
        }
        Some(known)
    }
}

impl EventKind {
    /// What its data may have; none if whoever sends it decides.
    fn fields(&self) -> Option<&'static [&'static str]> {
        Some(match self {
            EventKind::Added(_) | EventKind::Updated(_) | EventKind::Deleted(_) => {
                &["name", "from", "to", "revision", "changeset_id", "metadata"]
            }
            EventKind::ChangesetApplied => &["changeset_id", "revision", "moves"],
            EventKind::ChangesetProposed => &["changeset_id", "number", "ready", "message"],
            EventKind::ChangesetRejected => &["changeset_id", "number", "comment"],
            EventKind::SecretChanged | EventKind::PresetChanged | EventKind::ModelChanged => {
                &["name", "change"]
            }
            EventKind::RunFinished | EventKind::RunFailed | EventKind::RunCancelled => {
                &["run_id", "version_id", "error", "ending", "chain", "input", "output"]
            }
            EventKind::QuestionAsked => &["run_id", "step", "question", "options", "chain", "message"],
            EventKind::BudgetExhausted => {
                &["run_id", "budget", "dimension", "limit", "spent", "asked", "chain", "message"]
            }
            EventKind::ScheduleTicked => &["tick", "target", "run_id", "skipped"],
            EventKind::ScheduleFailing => &["target", "failures", "run_id", "error", "message"],
            EventKind::Custom(_) => &["run_id", "output", "chain"],
            EventKind::WebhookReceived => return None,
        })
    }
}

/// Follows the rest of a path through a JSON Schema, as far as that says anything.
fn in_schema(schema: &Value, place: &str, rest: &[&str]) -> Field {
    let Some((key, rest)) = rest.split_first() else { return Field::Possible { is_declared: true } };
    if let Some(alternatives) = schema["anyOf"].as_array() {
        return any_of(alternatives.iter().map(|one| in_schema(one, place, &[&[*key], rest].concat())));
    }
    let properties = schema["properties"].as_object();
    if let Some(property) = properties.and_then(|properties| properties.get(*key)) {
        return in_schema(property, &format!("{place}.{key}"), rest);
    }
    match (schema["type"].as_str(), properties, &schema["additionalProperties"]) {
        (Some("object"), _, others @ Value::Object(_)) => in_schema(others, &format!("{place}.{key}"), rest),
        (Some("object"), Some(properties), Value::Null | Value::Bool(false)) => {
            let known: Vec<&str> = properties.keys().map(String::as_str).collect();
            Field::Never(lacks(place, key, &known))
        }
        (Some("object") | None, ..) => Field::Possible { is_declared: false },
        (Some(other), ..) => {
            Field::Never(format!("`{place}` is declared as `{other}`, which has no `{key}`"))
        }
    }
}

/// It is never there if it is in none of them.
fn any_of(fields: impl Iterator<Item = Field>) -> Field {
    let mut never = None;
    for field in fields {
        match field {
            Field::Never(why) => never = never.or(Some(why)),
            possible @ Field::Possible { .. } => return possible,
        }
    }
    never.map_or(Field::Possible { is_declared: false }, Field::Never)
}

fn lacks(place: &str, key: &str, known: &[&str]) -> String {
    let known: Vec<String> = known.iter().map(|name| (*name).to_owned()).collect();
    let hint = match nearest(key, &known) {
        Some(near) => format!("; did you mean `{near}`?"),
        None if known.is_empty() || known.len() > NAMED => String::new(),
        None => {
            let quoted: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            format!(", only {}", list(&quoted, "and"))
        }
    };
    format!("`{place}` has no `{key}`{hint}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(on: &str, path: &str, output: Option<&Value>) -> String {
        match on.parse::<On>().unwrap().field(path, output) {
            Field::Never(why) => why,
            Field::Possible { is_declared: true } => "declared".to_owned(),
            Field::Possible { is_declared: false } => "possible".to_owned(),
        }
    }

    #[test]
    fn a_field_that_no_event_of_the_kind_has_is_named_with_the_nearest() {
        insta::assert_snapshot!(message("run.finished", "event.outptu.total", None), @"`event` has no `outptu`; did you mean `output`?");
        insta::assert_snapshot!(message("run.*", "event.data.outputs", None), @"`event.data` has no `outputs`; did you mean `output`?");
        insta::assert_snapshot!(message("secret.changed", "event.data.weather", None), @"`event.data` has no `weather`, only `name` and `change`");
        insta::assert_snapshot!(message("custom.mail", "event.subject", None), @"`event` has no `subject`");
        for path in ["event", "event.at", "event.output", "event.data", "event.data.output", "event.error"] {
            assert!(["declared", "possible"].contains(&message("run.failed", path, None).as_str()), "{path}");
        }
    }

    #[test]
    fn what_senders_decide_may_be_there() {
        for on in ["webhook.received", "webhook.*", "*"] {
            assert_eq!(message(on, "event.subject", None), "possible", "{on}");
        }
        assert_eq!(message("custom.mail", "event.output.subject", None), "possible");
        assert_eq!(message("run.finished", "range", None), "possible", "it is no field of the event");
    }

    #[test]
    fn what_a_function_returns_says_what_its_output_has() {
        let order =
            json!({"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]});
        let of = |path: &str, schema: &Value| message("run.finished", path, Some(schema));
        assert_eq!(of("event.output.total", &order), "declared");
        insta::assert_snapshot!(of("event.output.totl", &order), @"`event.output` has no `totl`; did you mean `total`?");
        insta::assert_snapshot!(of("event.output.total.cents", &order), @"`event.output.total` is declared as `number`, which has no `cents`");
        let counts = json!({"type": "object", "additionalProperties": {"type": "integer"}});
        assert_eq!(of("event.output.anything", &counts), "declared");
        assert!(of("event.output.anything.else", &counts).contains("declared as `integer`"));
        let either = json!({"anyOf": [order, {"type": "null"}]});
        assert_eq!(of("event.data.output.total", &either), "declared");
        insta::assert_snapshot!(of("event.output.totl", &either), @"`event.output` has no `totl`; did you mean `total`?");
        for unknown in [json!({}), json!({"type": "object"}), json!({"anyOf": [either, {}]})] {
            assert_eq!(of("event.output.total", &unknown).replace("declared", "possible"), "possible");
        }
    }
}
