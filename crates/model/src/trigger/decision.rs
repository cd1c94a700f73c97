//! Whether a Trigger fires on an Event. What has happened and whether the condition holds are passed in.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

use super::{RateLimit, TriggerContent};
use crate::access::glob::matches;
use crate::event::Event;

/// A stream of Events without a pause is held back at most this many times its debounce, so that it does not wait for ever.
const LONGEST_HOLD: i32 = 10;

/// What has happened to one Trigger so far.
#[derive(Clone, Copy, Debug)]
pub struct History<'a> {
    pub now: Timestamp,
    /// When it fired, at least as far back as its rate limit looks; without what is held back or was taken back, because
    /// a burst is one Run.
    pub fired: &'a [Timestamp],
    /// The moment of the first of the Events that are being held back.
    pub held_since: Option<Timestamp>,
}

/// What happens to an Event. Its text is the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Start the Run.
    Fire,
    /// Start the Run, but not before then, in place of the one that is held back, if any. So a burst of Events starts
    /// one Run, for the last of them.
    Debounced {
        until: Timestamp,
    },
    /// Start nothing; from then on it can fire again.
    RateLimited {
        limit: RateLimit,
        until: Timestamp,
    },
    NotMatching(Mismatch),
    Disabled,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    Kind {
        expected: String,
        given: String,
    },
    Source {
        expected: String,
        given: String,
    },
    Condition {
        condition: String,
    },
    /// The condition cannot be evaluated on this Event.
    Broken {
        condition: String,
        problem: String,
    },
}

impl TriggerContent {
    /// `holds` evaluates the condition; it is asked only about Events that match otherwise.
    pub fn fires(
        &self,
        event: &Event,
        history: History<'_>,
        holds: impl FnOnce(&str) -> Result<bool, String>,
    ) -> Decision {
        if !self.enabled {
            return Decision::Disabled;
        }
        match self.mismatch(event, holds) {
            Some(mismatch) => Decision::NotMatching(mismatch),
            None => self.limited(event, history),
        }
    }

    /// Whether kind and source match: what an index of Triggers can tell without evaluating anything.
    pub fn listens_to(&self, event: &Event) -> bool {
        self.on.fits(&event.fact.kind) && self.fits_source(&event.fact.source)
    }

    fn fits_source(&self, source: &str) -> bool {
        self.source.as_deref().is_none_or(|wanted| matches(wanted, source))
    }

    fn mismatch(&self, event: &Event, holds: impl FnOnce(&str) -> Result<bool, String>) -> Option<Mismatch> {
        let mismatch = self.wrong_kind_or_source(event);
        let Some(condition) = self.condition.as_deref().filter(|_| mismatch.is_none()) else {
            return mismatch;
        };
        let condition = condition.to_owned();
        match holds(&condition) {
            Ok(true) => None,
            Ok(false) => Some(Mismatch::Condition { condition }),
            Err(problem) => Some(Mismatch::Broken { condition, problem }),
        }
    }

    fn wrong_kind_or_source(&self, event: &Event) -> Option<Mismatch> {
        let fact = &event.fact;
        if !self.on.fits(&fact.kind) {
            return Some(Mismatch::Kind { expected: self.on.to_string(), given: fact.kind.to_string() });
        }
        let source = self.source.as_ref().filter(|_| !self.fits_source(&fact.source))?;
        Some(Mismatch::Source { expected: source.clone(), given: fact.source.clone() })
    }

    fn limited(&self, event: &Event, history: History<'_>) -> Decision {
        if let Some(limit) = self.rate_limit
            && let Some(until) = limit.reached_until(history)
        {
            return Decision::RateLimited { limit, until };
        }
        let Some(ms) = self.debounce_ms else { return Decision::Fire };
        let pause = SignedDuration::from_millis(ms.min(super::LONGEST_DEBOUNCE_MS) as i64);
        let since = history.held_since.unwrap_or(event.fact.at);
        Decision::Debounced { until: (event.fact.at + pause).min(since + pause * LONGEST_HOLD) }
    }
}

impl RateLimit {
    /// When it can fire again, if it cannot now.
    fn reached_until(self, history: History<'_>) -> Option<Timestamp> {
        let span = SignedDuration::from_secs(self.seconds.min(super::LONGEST_RATE_SECONDS) as i64);
        let mut recent: Vec<Timestamp> =
            history.fired.iter().copied().filter(|at| *at + span > history.now).collect();
        recent.sort_unstable();
        let oldest = recent.len().checked_sub(self.runs.max(1) as usize)?;
        Some(recent[oldest] + span)
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Decision::Fire => f.write_str("it fires"),
            Decision::Debounced { until } => {
                write!(f, "it is debounced until {until}, and fires on the last event")
            }
            Decision::RateLimited { limit: RateLimit { runs, seconds }, until } => {
                write!(
                    f,
                    "it has fired {runs} times in {seconds} seconds, the maximum allowed; it can fire again at {until}"
                )
            }
            Decision::NotMatching(mismatch) => mismatch.fmt(f),
            Decision::Disabled => f.write_str("it is disabled"),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Kind { expected, given } => {
                write!(f, "the event is `{given}`, but it listens for `{expected}`")
            }
            Mismatch::Source { expected, given } => {
                write!(f, "the event comes from `{given}`, but it listens to `{expected}`")
            }
            Mismatch::Condition { condition } => write!(f, "its condition `{condition}` is false"),
            Mismatch::Broken { condition, problem } => {
                write!(f, "its condition `{condition}` cannot be evaluated: {problem}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::access::actor::Actor;
    use crate::event::{EventKind, NewEvent};

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_000_000 + seconds).unwrap()
    }

    fn event(seconds: i64) -> Event {
        let kind = EventKind::RunFinished;
        let source = "report.daily".to_owned();
        let data = json!({"output": {"score": 1}});
        Event { seq: 7, fact: NewEvent { kind, source, data, actor: Actor::CommandLine, at: at(seconds) } }
    }

    fn trigger() -> TriggerContent {
        TriggerContent::after("report.*", "main".parse().unwrap())
    }

    fn fresh(now: i64) -> History<'static> {
        History { now: at(now), fired: &[], held_since: None }
    }

    fn decided(trigger: &TriggerContent, history: History<'_>) -> Decision {
        trigger.fires(&event(0), history, |_| Ok(true))
    }

    #[test]
    fn it_fires_on_what_matches() {
        assert_eq!(decided(&trigger(), fresh(0)), Decision::Fire);
        assert!(trigger().listens_to(&event(0)));
    }

    #[test]
    fn every_reason_not_to_fire_is_reported_in_words() {
        let told = |trigger: &TriggerContent| trigger.fires(&event(0), fresh(0), |_| Ok(false)).to_string();
        let mut changed = trigger();
        changed.on = EventKind::RunFailed.into();
        insta::assert_snapshot!(told(&changed), @"the event is `run.finished`, but it listens for `run.failed`");
        let mut changed = trigger();
        changed.source = Some("other".to_owned());
        insta::assert_snapshot!(told(&changed), @"the event comes from `report.daily`, but it listens to `other`");
        let mut changed = trigger();
        changed.condition = Some("event.output.score > 1".to_owned());
        insta::assert_snapshot!(told(&changed), @"its condition `event.output.score > 1` is false");
        let broken = changed.fires(&event(0), fresh(0), |_| Err("`score` is a text".to_owned()));
        insta::assert_snapshot!(broken, @"its condition `event.output.score > 1` cannot be evaluated: `score` is a text");
        changed.enabled = false;
        insta::assert_snapshot!(told(&changed), @"it is disabled");
    }

    #[test]
    fn a_condition_is_asked_only_about_events_that_match_otherwise() {
        let mut trigger = trigger();
        trigger.condition = Some("true".to_owned());
        trigger.source = Some("other".to_owned());
        let decision = trigger.fires(&event(0), fresh(0), |_| panic!("it must not be evaluated"));
        assert!(matches!(decision, Decision::NotMatching(Mismatch::Source { .. })));
    }

    #[test]
    fn a_rate_limit_lets_through_so_many_in_any_span() {
        let mut trigger = trigger();
        let limit = RateLimit { runs: 2, seconds: 60 };
        trigger.rate_limit = Some(limit);
        let with = |fired: &[Timestamp]| decided(&trigger, History { now: at(60), fired, held_since: None });
        assert_eq!(with(&[at(30)]), Decision::Fire);
        assert_eq!(with(&[at(0), at(30)]), Decision::Fire, "the first is out of the span");
        let limited = with(&[at(50), at(1), at(20)]);
        assert_eq!(limited, Decision::RateLimited { limit, until: at(80) });
        insta::assert_snapshot!(limited, @"it has fired 2 times in 60 seconds, the maximum allowed; it can fire again at 1970-01-12T13:48:00Z");
    }

    #[test]
    fn a_burst_is_held_back_until_it_pauses_but_not_for_ever() {
        let mut trigger = trigger();
        trigger.debounce_ms = Some(2_000);
        assert_eq!(decided(&trigger, fresh(0)), Decision::Debounced { until: at(2) });
        let held = History { held_since: Some(at(-10)), ..fresh(0) };
        assert_eq!(decided(&trigger, held), Decision::Debounced { until: at(2) });
        let long = History { held_since: Some(at(-19)), ..fresh(0) };
        assert_eq!(decided(&trigger, long), Decision::Debounced { until: at(1) });
    }

    proptest! {
        #[test]
        fn no_span_ever_has_more_than_the_limit(
            gaps in prop::collection::vec(0_i64..40, 1..60), runs in 1_u32..5, seconds in 1_u64..100,
        ) {
            let mut trigger = trigger();
            trigger.rate_limit = Some(RateLimit { runs, seconds });
            let mut fired: Vec<Timestamp> = Vec::new();
            let mut now = 0;
            for gap in gaps {
                now += gap;
                match decided(&trigger, History { now: at(now), fired: &fired, held_since: None }) {
                    Decision::Fire => fired.push(at(now)),
                    Decision::RateLimited { until, .. } => {
                        prop_assert!(until > at(now));
                        let then = History { now: until, fired: &fired, held_since: None };
                        prop_assert_eq!(decided(&trigger, then), Decision::Fire);
                    }
                    other => prop_assert!(false, "{other}"),
                }
            }
            for (place, first) in fired.iter().enumerate() {
                let end = *first + SignedDuration::from_secs(seconds as i64);
                let within = fired[place..].iter().filter(|at| **at < end).count();
                prop_assert!(within <= runs as usize);
            }
        }
    }
}
