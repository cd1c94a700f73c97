//! How a Version wants to be run, as its author states it: tries, isolation, concurrency, what is recorded. What it may
//! reach and its limits are [`crate::access::grants`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::options::{OptionError, boolean, count, milliseconds, wrong};
use crate::budget::Limits;
use crate::ids::RunId;
use crate::name::EntryName;
use crate::run;
use crate::run::retry::Retry;
use crate::version::ContentHash;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Running {
    #[serde(skip_serializing_if = "Retry::is_never")]
    pub retry: Retry,
    /// Running it twice does no more than running it once, so it may be run again after its node was lost.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub idempotent: bool,
    #[serde(skip_serializing_if = "Isolation::is_usual")]
    pub isolation: Isolation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<Concurrency>,
    #[serde(skip_serializing_if = "Record::is_all")]
    pub record: Record,
    #[serde(skip_serializing_if = "Returns::is_warn")]
    pub returns: Returns,
    /// Higher goes first.
    #[serde(skip_serializing_if = "is_zero")]
    pub priority: i32,
    /// What a Run may spend with all that it starts, unless whoever starts it says otherwise.
    #[serde(skip_serializing_if = "Limits::is_empty")]
    pub budget: Limits,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// Each Run has a cell of its own, except that in one run of a graph nodes that call the same pure function may share one.
    #[default]
    Usual,
    /// Each Run has a cell of its own.
    Fresh,
    /// Runs of one Version follow each other in one cell.
    Warm,
}

/// The maximum number of Runs at once, of all or of those with the same value of one parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Concurrency {
    pub limit: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Which Runs are recorded with their input, output and everything they did. That a Run happened, how it ended and how long it
/// took is always recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    #[default]
    All,
    Errors,
    /// Errors, and one of [`SAMPLE_ONE_IN`] of the others.
    Sample,
    None,
}

/// What comes of a returned value that does not fit the annotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Returns {
    /// The Run succeeds, and what it printed ends with a warning.
    #[default]
    Warn,
    /// The Run fails.
    Error,
}

pub const SAMPLE_ONE_IN: u64 = 100;

/// More tries than this are a loop.
const MOST_ATTEMPTS: u32 = 100;
/// Priorities on either side of zero.
const FARTHEST_PRIORITY: i64 = 100;
/// A longer value of a parameter is not a key but its hash is.
const LONGEST_KEY_BYTES: usize = 100;

impl Isolation {
    fn is_usual(&self) -> bool {
        *self == Isolation::Usual
    }
}

impl Returns {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field by reference")]
    fn is_warn(&self) -> bool {
        *self == Returns::Warn
    }
}

impl Record {
    pub fn as_str(self) -> &'static str {
        match self {
            Record::All => "all",
            Record::Errors => "errors",
            Record::Sample => "sample",
            Record::None => "none",
        }
    }

    pub(crate) fn is_all(&self) -> bool {
        *self == Record::All
    }

    /// Whether the payloads of a Run are kept. The chance in a Run's id decides, the same on every server.
    pub fn keeps(self, run: RunId, succeeded: bool) -> bool {
        match self {
            Record::All => true,
            Record::Errors => !succeeded,
            Record::Sample => !succeeded || run.0.as_u64_pair().1.is_multiple_of(SAMPLE_ONE_IN),
            Record::None => false,
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field by reference")]
fn is_zero(number: &i32) -> bool {
    *number == 0
}

impl Running {
    pub fn is_default(&self) -> bool {
        *self == Running::default()
    }

    /// Whether an option is about running.
    pub fn has_option(key: &str) -> bool {
        matches!(
            key,
            "retries"
                | "idempotent"
                | "isolation"
                | "concurrency"
                | "record"
                | "returns"
                | "priority"
                | "budget"
        )
    }

    /// With what the options state; what they do not state stays.
    pub fn updated(mut self, options: &BTreeMap<String, Value>) -> Result<Running, OptionError> {
        for (key, value) in options {
            match key.as_str() {
                "retries" => self.retry = retries(value)?,
                "idempotent" => self.idempotent = boolean("idempotent", value)?,
                "isolation" => self.isolation = isolation(value)?,
                "concurrency" => self.concurrency = Some(concurrency(value)?),
                "record" => self.record = record(value)?,
                "returns" => self.returns = returns(value)?,
                "priority" => self.priority = priority(value)?,
                "budget" => self.budget = Limits::of_option(value)?,
                _ => return Err(OptionError::Unknown { key: key.clone() }),
            }
        }
        Ok(self)
    }

    /// As the options that state it.
    pub fn options(&self) -> Vec<(&'static str, Value)> {
        let mut options: Vec<(&'static str, Value)> = Vec::new();
        if !self.retry.is_never() {
            options.push(("retries", retries_option(&self.retry)));
        }
        if self.idempotent {
            options.push(("idempotent", true.into()));
        }
        match self.isolation {
            Isolation::Usual => {}
            Isolation::Fresh => options.push(("isolation", "fresh".into())),
            Isolation::Warm => options.push(("isolation", "warm".into())),
        }
        if let Some(Concurrency { limit, key }) = &self.concurrency {
            let keyed = |key: &String| serde_json::json!({ "limit": limit, "key": key });
            options.push(("concurrency", key.as_ref().map_or_else(|| (*limit).into(), keyed)));
        }
        if self.record != Record::All {
            options.push(("record", self.record.as_str().into()));
        }
        if self.returns == Returns::Error {
            options.push(("returns", "error".into()));
        }
        if self.priority != 0 {
            options.push(("priority", self.priority.into()));
        }
        if !self.budget.is_empty() {
            options.push(("budget", self.budget.option()));
        }
        options
    }

    /// In words, one statement a line.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.retry.is_never() {
            let Retry { attempts, first_ms, most_ms } = self.retry;
            lines.push(format!(
                "tried up to {attempts} times, waiting {} to {} s in between",
                first_ms as f64 / 1000.0,
                most_ms as f64 / 1000.0
            ));
        }
        if self.idempotent {
            lines.push("idempotent".to_owned());
        }
        match self.isolation {
            Isolation::Usual => {}
            Isolation::Fresh => lines.push("each run in a cell of its own".to_owned()),
            Isolation::Warm => lines.push("in a warm cell".to_owned()),
        }
        if let Some(Concurrency { limit, key }) = &self.concurrency {
            let each = key.as_ref().map(|key| format!(" for each `{key}`")).unwrap_or_default();
            lines.push(format!("at most {limit} at once{each}"));
        }
        match self.record {
            Record::All => {}
            Record::Errors => lines.push("only errors are recorded".to_owned()),
            Record::Sample => lines.push(format!("errors and 1 in {SAMPLE_ONE_IN} runs are recorded")),
            Record::None => lines.push("nothing is recorded".to_owned()),
        }
        if self.returns == Returns::Error {
            lines.push("fails if it returns what its annotation does not allow".to_owned());
        }
        if self.priority != 0 {
            lines.push(format!("priority {}", self.priority));
        }
        if !self.budget.is_empty() {
            lines.push(format!("a budget of {}", self.budget.shown()));
        }
        lines
    }

    /// What a Run with this input must share its turn with.
    pub fn concurrency_of(&self, name: &EntryName, input: &Map<String, Value>) -> Option<run::Concurrency> {
        let Concurrency { limit, key } = self.concurrency.as_ref()?;
        let key = match key {
            None => name.to_string(),
            Some(key) => format!("{name}({key}={})", short(input.get(key))),
        };
        Some(run::Concurrency { key, limit: *limit })
    }
}

/// A value as part of a key. One that is left out is its default, which is the same for all who leave it out.
fn short(value: Option<&Value>) -> String {
    let text = value.map(ToString::to_string).unwrap_or_default();
    if text.len() <= LONGEST_KEY_BYTES { text } else { ContentHash::of_bytes(text.as_bytes()).to_string() }
}

/// How often to try again, as a Version or a single Run states it.
pub fn retries(value: &Value) -> Result<Retry, OptionError> {
    let failed = || {
        let expected = "the number of retries (0 to 99), or {\"attempts\": tries in total, \"first\": seconds, \"most\": seconds}";
        wrong("retries", expected, value)
    };
    let attempts = |number: Option<u64>, more: u32| {
        let attempts = number.and_then(|number| u32::try_from(number).ok())?.checked_add(more)?;
        (1..=MOST_ATTEMPTS).contains(&attempts).then_some(attempts)
    };
    let Value::Object(map) = value else {
        return attempts(value.as_u64(), 1).map(Retry::of).ok_or_else(failed);
    };
    let mut retry = Retry::of(attempts(map.get("attempts").and_then(Value::as_u64), 0).ok_or_else(failed)?);
    for (key, value) in map {
        match key.as_str() {
            "attempts" => {}
            "first" => retry.first_ms = milliseconds(value).ok_or_else(failed)?,
            "most" => retry.most_ms = milliseconds(value).ok_or_else(failed)?,
            _ => return Err(failed()),
        }
    }
    // A first rest that is longer than the usual most is the most as well.
    if !map.contains_key("most") {
        retry.most_ms = retry.most_ms.max(retry.first_ms);
    }
    if retry.first_ms <= retry.most_ms { Ok(retry) } else { Err(failed()) }
}

fn retries_option(retry: &Retry) -> Value {
    if *retry == Retry::of(retry.attempts) {
        return (retry.attempts - 1).into();
    }
    let seconds = |ms: u64| ms as f64 / 1000.0;
    serde_json::json!({
        "attempts": retry.attempts, "first": seconds(retry.first_ms), "most": seconds(retry.most_ms),
    })
}

fn isolation(value: &Value) -> Result<Isolation, OptionError> {
    match value.as_str() {
        Some("fresh") => Ok(Isolation::Fresh),
        Some("warm") => Ok(Isolation::Warm),
        _ => Err(wrong("isolation", "\"fresh\" or \"warm\"", value)),
    }
}

fn concurrency(value: &Value) -> Result<Concurrency, OptionError> {
    let failed =
        || wrong("concurrency", "an integer above 0, or {\"limit\": number, \"key\": \"parameter\"}", value);
    let limit = |value: &Value| count("concurrency", value).map_err(|_| failed());
    let Value::Object(map) = value else { return Ok(Concurrency { limit: limit(value)?, key: None }) };
    let known = map.keys().all(|key| key == "limit" || key == "key");
    match (map.get("limit"), map.get("key").and_then(Value::as_str)) {
        (Some(number), Some(key)) if known => {
            Ok(Concurrency { limit: limit(number)?, key: Some(key.to_owned()) })
        }
        _ => Err(failed()),
    }
}

fn record(value: &Value) -> Result<Record, OptionError> {
    let all = [Record::All, Record::Errors, Record::Sample, Record::None];
    let named = all.into_iter().find(|record| value == record.as_str());
    named.ok_or_else(|| wrong("record", "\"all\", \"errors\", \"sample\" or \"none\"", value))
}

fn returns(value: &Value) -> Result<Returns, OptionError> {
    match value.as_str() {
        Some("warn") => Ok(Returns::Warn),
        Some("error") => Ok(Returns::Error),
        _ => Err(wrong("returns", "\"warn\" or \"error\"", value)),
    }
}

/// Where it stands among those that wait, as a Version or a single Run states it.
pub fn priority(value: &Value) -> Result<i32, OptionError> {
    let near = |number: &i64| (-FARTHEST_PRIORITY..=FARTHEST_PRIORITY).contains(number);
    let number = value.as_i64().filter(near).and_then(|number| i32::try_from(number).ok());
    number.ok_or_else(|| wrong("priority", "an integer from -100 to 100", value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::budget::Money;

    fn running(options: Value) -> Result<Running, String> {
        let options = serde_json::from_value(options).unwrap();
        Running::default().updated(&options).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_stated_is_reported_in_words() {
        let stated = json!({
            "retries": {"attempts": 4, "first": 0.5, "most": 30}, "idempotent": true, "isolation": "warm",
            "concurrency": {"limit": 2, "key": "user"}, "record": "sample", "returns": "error",
            "priority": -5,
        });
        insta::assert_snapshot!(running(stated).unwrap().lines().join("\n"), @r"
        tried up to 4 times, waiting 0.5 to 30 s in between
        idempotent
        in a warm cell
        at most 2 at once for each `user`
        errors and 1 in 100 runs are recorded
        fails if it returns what its annotation does not allow
        priority -5
        ");
        assert_eq!(Running::default().lines(), Vec::<String>::new());
    }

    #[test]
    fn retries_are_tries_after_the_first() {
        assert_eq!(running(json!({"retries": 3})).unwrap().retry, Retry::of(4));
        assert!(running(json!({"retries": 0})).unwrap().retry.is_never());
        let long = running(json!({"retries": {"attempts": 2, "first": 300}})).unwrap().retry;
        assert_eq!((long.first_ms, long.most_ms), (300_000, 300_000));
    }

    #[test]
    fn wrong_values_are_reported_with_what_is_right() {
        let refused = |options| running(options).unwrap_err();
        insta::assert_snapshot!(refused(json!({"retries": -1})), @r#"`retries` must be the number of retries (0 to 99), or {"attempts": tries in total, "first": seconds, "most": seconds}, not `-1`"#);
        insta::assert_snapshot!(refused(json!({"isolation": "hot"})), @r#"`isolation` must be "fresh" or "warm", not `"hot"`"#);
        insta::assert_snapshot!(refused(json!({"concurrency": {"limit": 0, "key": "a"}})), @r#"`concurrency` must be an integer above 0, or {"limit": number, "key": "parameter"}, not `{"limit":0,"key":"a"}`"#);
        insta::assert_snapshot!(refused(json!({"record": "some"})), @r#"`record` must be "all", "errors", "sample" or "none", not `"some"`"#);
        insta::assert_snapshot!(refused(json!({"priority": 1000})), @"`priority` must be an integer from -100 to 100, not `1000`");
        insta::assert_snapshot!(refused(json!({"returns": "ignore"})), @r#"`returns` must be "warn" or "error", not `"ignore"`"#);
        for wrong in [
            json!({"retries": {"attempts": 3, "first": 9, "most": 1}}),
            json!({"retries": {"attempts": 3, "often": 9}}),
            json!({"retries": {"attempts": 0}}),
            json!({"retries": 100}),
            json!({"retries": true}),
            json!({"idempotent": 1}),
            json!({"concurrency": {"limit": 1}}),
            json!({"concurrency": {"limit": 1, "key": "a", "more": 1}}),
        ] {
            assert!(running(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn runs_share_their_turn_by_name_or_by_the_value_of_a_parameter() {
        let name = "f".parse().unwrap();
        let key = |options: Value, input: Value| {
            let shared = running(options).unwrap().concurrency_of(&name, input.as_object().unwrap());
            shared.map(|shared| (shared.key, shared.limit))
        };
        let keyed = json!({"concurrency": {"limit": 2, "key": "user"}});
        assert_eq!(key(json!({}), json!({})), None);
        assert_eq!(key(json!({"concurrency": 3}), json!({"user": 1})), Some(("f".to_owned(), 3)));
        assert_eq!(key(keyed.clone(), json!({"user": "ada"})), Some((r#"f(user="ada")"#.to_owned(), 2)));
        assert_ne!(key(keyed.clone(), json!({"user": "1"})), key(keyed.clone(), json!({"user": 1})));
        let long = |last: &str| key(keyed.clone(), json!({"user": "x".repeat(5000) + last})).unwrap().0;
        assert!(long("a") != long("b") && long("a").len() < 100);
    }

    #[test]
    fn what_is_recorded_is_as_stated() {
        let ids = (0..10_000_u128).map(|n| RunId(Uuid::from_u128(n)));
        let kept = |record: Record, succeeded| ids.clone().filter(|id| record.keeps(*id, succeeded)).count();
        assert_eq!((kept(Record::All, true), kept(Record::None, false)), (10_000, 0));
        assert_eq!((kept(Record::Errors, true), kept(Record::Errors, false)), (0, 10_000));
        assert_eq!((kept(Record::Sample, true), kept(Record::Sample, false)), (100, 10_000));
    }

    proptest! {
        #[test]
        fn what_is_exported_reads_back(
            attempts in 1_u32..=100, first in 1_u64..1000, more in 0_u64..1000, idempotent: bool,
            isolation in prop::sample::select(vec![Isolation::Usual, Isolation::Fresh, Isolation::Warm]),
            concurrency in prop::option::of((1_u32..9, prop::option::of("[a-z]{1,3}"))),
            record in prop::sample::select(vec![Record::All, Record::Errors, Record::Sample, Record::None]),
            checked: bool, priority in -100_i32..=100, dollars in prop::option::of(0_u64..9_000_000), turns in prop::option::of(0_u64..9),
        ) {
            let retry = if attempts == 1 { Retry::default() } else { Retry { attempts, first_ms: first, most_ms: first + more } };
            let running = Running {
                retry,
                idempotent,
                isolation,
                concurrency: concurrency.map(|(limit, key)| Concurrency { limit, key }),
                record,
                returns: if checked { Returns::Error } else { Returns::Warn },
                priority,
                budget: Limits { money: dollars.map(Money), turns, ..Limits::default() },
            };
            let options: BTreeMap<String, Value> =
                running.options().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            prop_assert!(options.keys().all(|key| Running::has_option(key)));
            prop_assert_eq!(Running::default().updated(&options).unwrap(), running);
        }
    }
}
