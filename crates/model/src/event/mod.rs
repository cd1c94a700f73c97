//! Events: immutable facts, appended once, with a sequence number that has no gap.

mod notice;
pub mod payload;

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::access::actor::Actor;
use crate::access::scope::Scope;
use crate::changeset::check::nearest;
use crate::entry::EntryKind;
use crate::input::text_schema::text_schema;
use crate::phrase::cut;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum EventKind {
    Added(EntryKind),
    Updated(EntryKind),
    Deleted(EntryKind),
    ChangesetApplied,
    /// A Changeset waits for someone to apply or reject it.
    ChangesetProposed,
    /// Somebody decided that a Changeset is not applied.
    ChangesetRejected,
    SecretChanged,
    /// A language model was added, replaced, probed or removed.
    ModelChanged,
    /// A named input of a Function or Graph.
    PresetChanged,
    RunFinished,
    RunFailed,
    RunCancelled,
    /// A Run waits for the answer of a person.
    QuestionAsked,
    /// A budget has no room for what a Run asks for.
    BudgetExhausted,
    ScheduleTicked,
    /// A Schedule keeps failing.
    ScheduleFailing,
    WebhookReceived,
    /// Emitted by a Function: `custom.NAME`.
    Custom(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{given}` is not an event kind; {hint}")]
pub struct EventKindError {
    given: String,
    hint: String,
}

text_schema!(
    EventKind,
    "EventKind",
    "What happened: `run.finished`, `function.updated`, …, or `custom.NAME`.",
    "run.finished"
);

impl EventKindError {
    pub(crate) fn of(text: &str) -> EventKindError {
        let known: Vec<String> = EventKind::fixed().iter().map(ToString::to_string).collect();
        let hint = match nearest(text, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None if is_emitted(text) => {
                format!("for an event that functions emit as `{text}`, write `custom.{text}`")
            }
            None => EXPECTED.to_owned(),
        };
        EventKindError { given: cut(text, 200), hint }
    }
}

/// Whether it may be the name of something a Function emits: its first part is of no other kind.
fn is_emitted(text: &str) -> bool {
    let first = |text: &str| text.split('.').next().map(str::to_owned);
    let taken = EventKind::fixed().iter().any(|kind| first(&kind.to_string()) == first(text));
    !taken
        && first(text).as_deref() != Some("custom")
        && format!("custom.{text}").parse::<EventKind>().is_ok()
}

const EXPECTED: &str = "expected `run.finished`, `run.failed`, `run.cancelled`, `function.added`, `function.updated`, `function.deleted`, `changeset.applied`, `changeset.proposed`, `question.asked`, `budget.exhausted`, `secret.changed`, `model.changed`, `preset.changed`, `schedule.ticked`, `schedule.failing`, `webhook.received` or `custom.NAME`";

impl EventKind {
    /// Every change of the brain appends at least one of these.
    pub fn is_change_of_brain(&self) -> bool {
        use EventKind::{Added, ChangesetApplied, Deleted, Updated};
        matches!(self, Added(_) | Updated(_) | Deleted(_) | ChangesetApplied)
    }

    /// Whether it tells of the whole brain and not of one entry, which its source would name.
    pub fn is_about_whole_brain(&self) -> bool {
        use EventKind as Kind;
        match self {
            Kind::ChangesetApplied | Kind::ChangesetProposed | Kind::ChangesetRejected => true,
            Kind::SecretChanged | Kind::ModelChanged => true,
            Kind::Added(_) | Kind::Updated(_) | Kind::Deleted(_) => false,
            Kind::RunFinished | Kind::RunFailed | Kind::RunCancelled | Kind::PresetChanged => false,
            Kind::QuestionAsked | Kind::BudgetExhausted => false,
            Kind::ScheduleTicked | Kind::ScheduleFailing => false,
            Kind::WebhookReceived | Kind::Custom(_) => false,
        }
    }

    /// Whether a person should hear of it, because something waits or keeps failing.
    pub fn is_for_people(&self) -> bool {
        use EventKind::{BudgetExhausted, ChangesetProposed, QuestionAsked, ScheduleFailing};
        matches!(self, ChangesetProposed | QuestionAsked | BudgetExhausted | ScheduleFailing)
    }

    /// Every kind but the custom ones, which have no end.
    pub fn fixed() -> Vec<EventKind> {
        let changes = |kind| [EventKind::Added(kind), EventKind::Updated(kind), EventKind::Deleted(kind)];
        let others = [
            EventKind::ChangesetApplied,
            EventKind::ChangesetProposed,
            EventKind::ChangesetRejected,
            EventKind::SecretChanged,
            EventKind::ModelChanged,
            EventKind::PresetChanged,
            EventKind::RunFinished,
            EventKind::RunFailed,
            EventKind::RunCancelled,
            EventKind::QuestionAsked,
            EventKind::BudgetExhausted,
            EventKind::ScheduleTicked,
            EventKind::ScheduleFailing,
            EventKind::WebhookReceived,
        ];
        EntryKind::ALL.into_iter().flat_map(changes).chain(others).collect()
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventKind::Added(kind) => write!(f, "{kind}.added"),
            EventKind::Updated(kind) => write!(f, "{kind}.updated"),
            EventKind::Deleted(kind) => write!(f, "{kind}.deleted"),
            EventKind::ChangesetApplied => f.write_str("changeset.applied"),
            EventKind::ChangesetProposed => f.write_str("changeset.proposed"),
            EventKind::ChangesetRejected => f.write_str("changeset.rejected"),
            EventKind::QuestionAsked => f.write_str("question.asked"),
            EventKind::BudgetExhausted => f.write_str("budget.exhausted"),
            EventKind::ScheduleFailing => f.write_str("schedule.failing"),
            EventKind::SecretChanged => f.write_str("secret.changed"),
            EventKind::ModelChanged => f.write_str("model.changed"),
            EventKind::PresetChanged => f.write_str("preset.changed"),
            EventKind::RunFinished => f.write_str("run.finished"),
            EventKind::RunFailed => f.write_str("run.failed"),
            EventKind::RunCancelled => f.write_str("run.cancelled"),
            EventKind::ScheduleTicked => f.write_str("schedule.ticked"),
            EventKind::WebhookReceived => f.write_str("webhook.received"),
            EventKind::Custom(name) => write!(f, "custom.{name}"),
        }
    }
}

impl FromStr for EventKind {
    type Err = EventKindError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || EventKindError::of(text);
        let (noun, verb) = text.split_once('.').ok_or_else(unknown)?;
        if noun == "custom" && !verb.is_empty() {
            return Ok(EventKind::Custom(verb.to_owned()));
        }
        match (noun.parse::<EntryKind>(), verb) {
            (Ok(kind), "added") => return Ok(EventKind::Added(kind)),
            (Ok(kind), "updated") => return Ok(EventKind::Updated(kind)),
            (Ok(kind), "deleted") => return Ok(EventKind::Deleted(kind)),
            _ => {}
        }
        match text {
            "changeset.applied" => Ok(EventKind::ChangesetApplied),
            "changeset.proposed" => Ok(EventKind::ChangesetProposed),
            "changeset.rejected" => Ok(EventKind::ChangesetRejected),
            "question.asked" => Ok(EventKind::QuestionAsked),
            "budget.exhausted" => Ok(EventKind::BudgetExhausted),
            "schedule.failing" => Ok(EventKind::ScheduleFailing),
            "secret.changed" => Ok(EventKind::SecretChanged),
            "model.changed" => Ok(EventKind::ModelChanged),
            "preset.changed" => Ok(EventKind::PresetChanged),
            "run.finished" => Ok(EventKind::RunFinished),
            "run.failed" => Ok(EventKind::RunFailed),
            "run.cancelled" => Ok(EventKind::RunCancelled),
            "schedule.ticked" => Ok(EventKind::ScheduleTicked),
            "webhook.received" => Ok(EventKind::WebhookReceived),
            _ => Err(unknown()),
        }
    }
}

impl TryFrom<String> for EventKind {
    type Error = EventKindError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<EventKind> for String {
    fn from(kind: EventKind) -> String {
        kind.to_string()
    }
}

/// A fact that is about to be appended; its sequence number is given by the store, in the same transaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct NewEvent {
    pub kind: EventKind,
    /// The name of what it is about.
    pub source: String,
    pub data: Value,
    pub actor: Actor,
    pub at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Event {
    pub seq: u64,
    #[serde(flatten)]
    pub fact: NewEvent,
}

impl Event {
    /// Whether someone who may touch these names may know of it.
    pub fn is_visible_to(&self, scope: &Scope) -> bool {
        scope.is_all() || (!self.fact.kind.is_about_whole_brain() && scope.covers(&self.fact.source))
    }

    /// As conditions and mappings see it: `event.kind`, `event.source`, `event.at` …, and what it tells both under
    /// `event.data` and by its own names (`event.output`), where those are free.
    pub fn view(&self) -> Value {
        let fact = &self.fact;
        let mut view = fact.data.as_object().cloned().unwrap_or_default();
        let own = [
            ("seq", Value::from(self.seq)),
            ("kind", fact.kind.to_string().into()),
            ("source", fact.source.clone().into()),
            ("data", fact.data.clone()),
            ("actor", fact.actor.to_string().into()),
            ("at", fact.at.to_string().into()),
        ];
        view.extend(own.map(|(name, value)| (name.to_owned(), value)));
        Value::Object(view)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_reads_back_as_it_was_written() {
        for kind in [
            EventKind::Added(EntryKind::Graph),
            EventKind::Updated(EntryKind::Function),
            EventKind::Deleted(EntryKind::Schedule),
            EventKind::ChangesetApplied,
            EventKind::SecretChanged,
            EventKind::RunFinished,
            EventKind::RunFailed,
            EventKind::RunCancelled,
            EventKind::ChangesetProposed,
            EventKind::ChangesetRejected,
            EventKind::QuestionAsked,
            EventKind::BudgetExhausted,
            EventKind::ScheduleTicked,
            EventKind::ScheduleFailing,
            EventKind::WebhookReceived,
            EventKind::Custom("mail.arrived".to_owned()),
        ] {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
    }

    #[test]
    fn every_fixed_kind_is_told_apart() {
        let mut texts: Vec<String> = EventKind::fixed().iter().map(ToString::to_string).collect();
        let count = texts.len();
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), count);
        assert!(EventKind::fixed().iter().all(|kind| kind.to_string().parse().as_ref() == Ok(kind)));
    }

    #[test]
    fn what_an_event_tells_is_seen_by_its_own_names_unless_they_are_taken() {
        let fact = NewEvent {
            kind: EventKind::RunFinished,
            source: "f".to_owned(),
            data: serde_json::json!({"output": 1, "source": "hidden"}),
            actor: Actor::CommandLine,
            at: Timestamp::UNIX_EPOCH,
        };
        let view = Event { seq: 1, fact }.view();
        assert_eq!((&view["output"], &view["source"]), (&1.into(), &"f".into()));
        assert_eq!(view["data"]["source"], "hidden");
    }

    #[test]
    fn who_may_touch_some_names_sees_what_is_about_them() {
        let event = |kind, source: &str| {
            let fact = NewEvent {
                kind,
                source: source.to_owned(),
                data: Value::Null,
                actor: Actor::CommandLine,
                at: Timestamp::UNIX_EPOCH,
            };
            Event { seq: 1, fact }
        };
        let web = Scope::Names(vec!["web.*".to_owned()]);
        assert!(event(EventKind::RunFinished, "web.get").is_visible_to(&web));
        assert!(!event(EventKind::RunFinished, "mail.send").is_visible_to(&web));
        for kind in [
            EventKind::ChangesetApplied,
            EventKind::ChangesetProposed,
            EventKind::ChangesetRejected,
            EventKind::SecretChanged,
        ] {
            assert!(!event(kind.clone(), "web.get").is_visible_to(&web), "{kind}");
            assert!(event(kind, "web.get").is_visible_to(&Scope::All));
        }
    }

    #[test]
    fn a_kind_that_is_none_is_refused() {
        for text in ["", "run", "run.began", "function.", "custom."] {
            assert!(text.parse::<EventKind>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_slip_of_the_pen_is_told_what_was_meant() {
        let told = |text: &str| text.parse::<EventKind>().unwrap_err().to_string();
        assert_eq!(told("run.finshed"), "`run.finshed` is not an event kind; did you mean `run.finished`?");
        assert_eq!(
            told("function.update"),
            "`function.update` is not an event kind; did you mean `function.updated`?"
        );
        assert_eq!(
            told("mail.in"),
            "`mail.in` is not an event kind; for an event that functions emit as `mail.in`, write `custom.mail.in`"
        );
        for none in ["", "custom", "custom.", "run.began.late"] {
            assert!(told(none).contains("or `custom.NAME`"), "{}", told(none));
        }
    }
}
