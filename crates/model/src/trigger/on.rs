//! Which kinds of Event a Trigger waits for: one, or all that fit a pattern such as `run.*`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::access::glob::{is_pattern, matches};
use crate::entry::EntryKind;
use crate::event::{EventKind, EventKindError};
use crate::input::text_schema::text_schema;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum On {
    Kind(EventKind),
    Pattern(String),
}

text_schema!(
    On,
    "On",
    "The events that a trigger listens for: a kind, `run.any` or `webhook`.",
    "run.finished"
);

impl On {
    pub fn fits(&self, kind: &EventKind) -> bool {
        match self {
            On::Kind(one) => one == kind,
            On::Pattern(pattern) => matches(pattern, &kind.to_string()),
        }
    }
}

impl On {
    /// Whether every Event it waits for has the name of an entry as its source.
    pub(super) fn comes_from_an_entry(&self) -> bool {
        let is_entry = |kind: &EventKind| match kind {
            EventKind::Added(_)
            | EventKind::Updated(_)
            | EventKind::Deleted(_)
            | EventKind::RunFinished
            | EventKind::RunFailed
            | EventKind::RunCancelled
            | EventKind::QuestionAsked
            | EventKind::BudgetExhausted
            | EventKind::ScheduleTicked
            | EventKind::ScheduleFailing
            | EventKind::PresetChanged
            | EventKind::Custom(_) => true,
            EventKind::ChangesetApplied
            | EventKind::ChangesetProposed
            | EventKind::ChangesetRejected
            | EventKind::SecretChanged
            | EventKind::ModelChanged
            | EventKind::WebhookReceived => false,
        };
        EventKind::fixed().iter().filter(|kind| self.fits(kind)).all(is_entry)
    }
}

impl On {
    /// Whether an Event it waits for can have the name of a Function or a Graph as its source.
    pub(super) fn comes_from_a_callable(&self) -> bool {
        let is_callable = |kind: &EventKind| match kind {
            EventKind::Added(kind) | EventKind::Updated(kind) | EventKind::Deleted(kind) => {
                matches!(kind, EntryKind::Function | EntryKind::Graph)
            }
            EventKind::RunFinished
            | EventKind::RunFailed
            | EventKind::RunCancelled
            | EventKind::QuestionAsked
            | EventKind::BudgetExhausted
            | EventKind::PresetChanged
            | EventKind::Custom(_) => true,
            EventKind::ChangesetApplied
            | EventKind::ChangesetProposed
            | EventKind::ChangesetRejected
            | EventKind::SecretChanged
            | EventKind::ModelChanged
            | EventKind::ScheduleFailing
            | EventKind::ScheduleTicked
            | EventKind::WebhookReceived => false,
        };
        match self {
            On::Kind(kind) => is_callable(kind),
            On::Pattern(_) => EventKind::fixed().iter().filter(|kind| self.fits(kind)).all(is_callable),
        }
    }
}

impl fmt::Display for On {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            On::Kind(kind) => kind.fmt(f),
            On::Pattern(pattern) => f.write_str(pattern),
        }
    }
}

impl FromStr for On {
    type Err = EventKindError;

    fn from_str(text: &str) -> Result<On, EventKindError> {
        if !is_pattern(text) {
            return text.parse().map(On::Kind);
        }
        // A pattern that nothing can ever fit is a slip of the pen.
        let possible = text.starts_with("custom.")
            || EventKind::fixed().iter().any(|kind| matches(text, &kind.to_string()));
        if possible { Ok(On::Pattern(text.to_owned())) } else { Err(EventKindError::of(text)) }
    }
}

impl TryFrom<String> for On {
    type Error = EventKindError;

    fn try_from(text: String) -> Result<On, EventKindError> {
        text.parse()
    }
}

impl From<On> for String {
    fn from(on: On) -> String {
        on.to_string()
    }
}

impl From<EventKind> for On {
    fn from(kind: EventKind) -> On {
        On::Kind(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::EntryKind;

    fn fits(on: &str, kind: &EventKind) -> bool {
        on.parse::<On>().unwrap().fits(kind)
    }

    #[test]
    fn a_pattern_fits_every_kind_it_describes() {
        assert!(fits("run.*", &EventKind::RunFinished) && fits("run.*", &EventKind::RunFailed));
        assert!(!fits("run.*", &EventKind::ChangesetApplied));
        assert!(fits("function.*", &EventKind::Deleted(EntryKind::Function)));
        assert!(!fits("function.*", &EventKind::Deleted(EntryKind::Graph)));
        assert!(fits("*.deleted", &EventKind::Deleted(EntryKind::Graph)));
        assert!(fits("custom.mail.*", &EventKind::Custom("mail.arrived".to_owned())));
        assert!(fits("*", &EventKind::SecretChanged));
    }

    #[test]
    fn a_pattern_that_fits_nothing_is_refused_like_a_kind_that_is_none() {
        for text in ["runs.*", "function.renamed*", "run.began"] {
            assert!(text.parse::<On>().is_err(), "{text}");
        }
    }
}
