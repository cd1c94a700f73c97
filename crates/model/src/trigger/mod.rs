//! Triggers: when an Event matches, start a Run. What is stored; whether one fires is decided in [`decision`], what
//! its target gets in [`mapping`]. Conditions and templates are text here and evaluated by the server.

pub mod decision;
pub mod fields;
pub mod mapping;
pub mod on;
pub mod senders;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::on::On;
use self::senders::Senders;
use crate::access::glob::is_pattern;
use crate::event::EventKind;
use crate::name::{EntryName, NameError};
use crate::phrase::cut;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TriggerContent {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The kind of Event, or a pattern of kinds.
    pub on: On,
    /// The name the Event must come from, or a pattern of names; absent means any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// An expression over the Event that must be true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The Function or Graph that is started.
    pub target: EntryName,
    /// How the Event becomes input; absent means the upstream output as the first parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Map<String, Value>>,
    #[serde(default = "enabled", skip_serializing_if = "Clone::clone")]
    pub enabled: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// Of Events that follow each other faster than this, only the last starts a Run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debounce_ms: Option<u64>,
    /// Who may send to its webhook; absent means anyone with a Token that may run its target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub senders: Option<Senders>,
}

/// At most this many Runs in any span of so many seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RateLimit {
    pub runs: u32,
    pub seconds: u64,
}

fn enabled() -> bool {
    true
}

/// A day. What is to be gathered for longer is a Schedule's work.
const LONGEST_DEBOUNCE_MS: u64 = 86_400_000;
/// A month. What a Trigger did is looked at no further back.
pub const LONGEST_RATE_SECONDS: u64 = 31 * 86_400;

impl TriggerContent {
    /// BabyAGI's only kind: `target` runs after each successful run of `upstream`.
    pub fn after(upstream: &str, target: EntryName) -> TriggerContent {
        TriggerContent {
            description: String::new(),
            on: On::Kind(EventKind::RunFinished),
            source: Some(upstream.to_owned()),
            condition: None,
            target,
            input: None,
            enabled: true,
            rate_limit: None,
            debounce_ms: None,
            senders: None,
        }
    }

    /// The name under which such a trigger is stored, the same each time its pack is loaded.
    pub fn name_after(upstream: &str, target: &EntryName) -> Result<EntryName, NameError> {
        let upstream = upstream.replace('.', "_");
        EntryName::new(&format!("{}{}_after_{upstream}", target.prefix(), target.last()))
    }

    /// The one entry that it listens to, if it names one.
    pub fn watched(&self) -> Option<&str> {
        self.source.as_deref().filter(|source| !is_pattern(source))
    }

    /// The same, if that is a Function or a Graph: the events of a webhook, a schedule or a secret come from other things.
    pub fn watched_callable(&self) -> Option<&str> {
        self.watched().filter(|_| self.on.comes_from_a_callable())
    }

    /// What is wrong with it, in words.
    pub fn flaws(&self) -> Vec<String> {
        let mut flaws = Vec::new();
        flaws.extend(self.source.as_deref().and_then(|source| self.source_flaw(source)));
        if self.condition.as_deref().is_some_and(|text| text.trim().is_empty()) {
            flaws.push("its condition is empty; leave it out if there is none".to_owned());
        }
        if let Some(RateLimit { runs, seconds }) = self.rate_limit
            && (runs == 0 || !(1..=LONGEST_RATE_SECONDS).contains(&seconds))
        {
            flaws.push(format!(
                "its rate limit is {runs} runs in {seconds} seconds; it must be at least 1 run in 1 to {LONGEST_RATE_SECONDS} seconds"
            ));
        }
        if let Some(ms) = self.debounce_ms.filter(|ms| !(1..=LONGEST_DEBOUNCE_MS).contains(ms)) {
            flaws.push(format!("its debounce is {ms} ms; it must be between 1 and {LONGEST_DEBOUNCE_MS}"));
        }
        flaws.extend(self.senders.as_ref().and_then(|senders| self.senders_flaw(senders)));
        flaws.extend(self.input.iter().flat_map(mapping::flaws));
        flaws
    }

    fn senders_flaw(&self, senders: &Senders) -> Option<String> {
        if self.on != On::Kind(EventKind::WebhookReceived) || self.source.is_none() {
            return Some("it says who may send to its webhook, but does not listen to one; set `on` to `webhook.received` and `source` to the name of the webhook".to_owned());
        }
        match senders {
            Senders::Secret(name) if name.is_empty() => {
                Some("the secret of its webhook has no name".to_owned())
            }
            _ => None,
        }
    }

    fn source_flaw(&self, source: &str) -> Option<String> {
        if source.is_empty() {
            return Some("its source is empty; leave it out for events from anywhere".to_owned());
        }
        let stands_in_a_name = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "._*?".contains(c);
        let odd = source.chars().find(|c| !stands_in_a_name(*c)).filter(|_| self.on.comes_from_an_entry())?;
        Some(format!(
            "its source `{}` matches no name, because no name contains `{odd}`; write a name or a pattern such as `report.*`",
            cut(source, 100)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::{Content, Snapshot};
    use serde_json::json;

    #[test]
    fn a_trigger_that_was_stored_before_keeps_its_text_and_hash() {
        let body = r#"{"input":null,"kind":"trigger","on":"run.finished","source":"leaf","target":"main"}"#;
        let body = body.replace(r#""input":null,"#, "");
        let content: Content = serde_json::from_str(&body).unwrap();
        assert_eq!(Snapshot::of(content.clone()).body, body);
        assert_eq!(content, Content::Trigger(TriggerContent::after("leaf", "main".parse().unwrap())));
        let full = json!({
            "kind": "trigger", "on": "custom.mail", "condition": "event.n > 1", "enabled": false,
            "target": "main", "input": {"x": "{{ event.output }}"}, "description": "d",
        });
        let content: Content = serde_json::from_value(full.clone()).unwrap();
        assert_eq!(serde_json::to_value(content).unwrap(), full);
    }

    #[test]
    fn a_pattern_watches_no_single_entry() {
        let mut trigger = TriggerContent::after("report.*", "main".parse().unwrap());
        assert_eq!(trigger.watched(), None);
        trigger.source = Some("report.daily".to_owned());
        assert_eq!(trigger.watched(), Some("report.daily"));
    }

    #[test]
    fn what_cannot_work_is_reported_in_words() {
        let mut trigger = TriggerContent::after("", "main".parse().unwrap());
        trigger.condition = Some(" ".to_owned());
        trigger.rate_limit = Some(RateLimit { runs: 0, seconds: 5 });
        trigger.debounce_ms = Some(0);
        insta::assert_snapshot!(trigger.flaws().join("\n"), @r"
        its source is empty; leave it out for events from anywhere
        its condition is empty; leave it out if there is none
        its rate limit is 0 runs in 5 seconds; it must be at least 1 run in 1 to 2678400 seconds
        its debounce is 0 ms; it must be between 1 and 86400000
        ");
        let mut trigger = TriggerContent::after("daily report", "main".parse().unwrap());
        insta::assert_snapshot!(trigger.flaws().join("\n"), @"its source `daily report` matches no name, because no name contains ` `; write a name or a pattern such as `report.*`");
        trigger.on = EventKind::ChangesetApplied.into();
        assert_eq!(trigger.flaws(), [""; 0], "a changeset has a title");
    }
}
