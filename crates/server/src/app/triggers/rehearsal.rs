//! What a Trigger would do with Events, without doing it.

use std::collections::HashMap;

use jiff::Timestamp;
use model::event::Event;
use model::trigger::TriggerContent;
use model::trigger::decision::{Decision, History, Mismatch};
use sandbox::Expressions;
use serde::{Deserialize, Serialize};

use super::decision::decided;
use super::expression;

/// What it would do about one Event.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
pub struct Verdict {
    pub seq: u64,
    pub at: Timestamp,
    pub kind: String,
    pub source: String,
    pub fires: bool,
    pub why: String,
}

/// What it would do about one Event, had nothing happened before.
pub(super) async fn judge(expressions: &Expressions, content: &TriggerContent, event: &Event) -> Verdict {
    let decision = decide(expressions, content, event, &[], None).await;
    verdict(event, &decision)
}

/// What it would have done about these Events, which are in their order: rate limit and debounce count from the first. `problems`
/// says of which of them nothing can be handed over, by their sequence number, and why.
pub(super) async fn rehearse(
    expressions: &Expressions,
    content: &TriggerContent,
    events: &[Event],
    problems: &HashMap<u64, String>,
) -> Vec<Verdict> {
    let mut verdicts: Vec<Verdict> = Vec::new();
    let mut fired: Vec<Timestamp> = Vec::new();
    let mut held: Option<Held> = None;
    for event in events {
        let burst = held.take_if(|held| event.fact.at <= held.until);
        // What is not part of this burst has fired.
        fired.extend(held.take().map(|held| held.at));
        let held_since = burst.as_ref().map(|burst| burst.since);
        let decision = decide(expressions, content, event, &fired, held_since).await;
        let problem = problems.get(&event.seq);
        match decision {
            // What starts nothing uses up no rate, and takes nobody's place.
            Decision::Fire | Decision::Debounced { .. } if problem.is_some() => held = burst,
            Decision::Fire => fired.push(event.fact.at),
            Decision::Debounced { until } => {
                let since = burst.as_ref().map_or(event.fact.at, |burst| burst.since);
                if let Some(burst) = burst {
                    verdicts[burst.place].fires = false;
                    verdicts[burst.place].why =
                        format!("event {} followed before its pause was over, and replaces it", event.seq);
                }
                held = Some(Held { since, until, at: event.fact.at, place: verdicts.len() });
            }
            // It stays held.
            _ => held = burst,
        }
        let mut verdict = verdict(event, &decision);
        if let Some(problem) = problem.filter(|_| verdict.fires) {
            (verdict.fires, verdict.why) = (false, problem.clone());
        }
        verdicts.push(verdict);
    }
    verdicts
}

/// The Event that would wait for others to follow.
struct Held {
    since: Timestamp,
    until: Timestamp,
    at: Timestamp,
    place: usize,
}

async fn decide(
    expressions: &Expressions,
    content: &TriggerContent,
    event: &Event,
    fired: &[Timestamp],
    held_since: Option<Timestamp>,
) -> Decision {
    decided(expressions, content, event, History { now: event.fact.at, fired, held_since }).await
}

fn verdict(event: &Event, decision: &Decision) -> Verdict {
    let why = match lacking(decision, event) {
        Some(lacking) => format!("{decision}: {lacking}"),
        None => decision.to_string(),
    };
    Verdict {
        seq: event.seq,
        at: event.fact.at,
        kind: event.fact.kind.to_string(),
        source: event.fact.source.clone(),
        fires: matches!(decision, Decision::Fire | Decision::Debounced { .. }),
        why,
    }
}

/// The first thing that a condition looks at and this Event does not have, if that is why it is false or fails.
fn lacking(decision: &Decision, event: &Event) -> Option<String> {
    let Decision::NotMatching(Mismatch::Condition { condition } | Mismatch::Broken { condition, .. }) =
        decision
    else {
        return None;
    };
    expression::looked_at(condition).iter().find_map(|path| expression::lacking(path, event))
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;
    use model::access::actor::Actor;
    use model::event::{EventKind, NewEvent};
    use model::trigger::RateLimit;
    use serde_json::json;

    use super::*;

    /// Runs that finished so many seconds after the first.
    fn finished(seconds: &[i64]) -> Vec<Event> {
        let event = |(seq, seconds): (u64, &i64)| Event {
            seq,
            fact: NewEvent {
                kind: EventKind::RunFinished,
                source: "first".to_owned(),
                data: json!({ "output": seq }),
                actor: Actor::CommandLine,
                at: Timestamp::UNIX_EPOCH + seconds.seconds(),
            },
        };
        (1..).zip(seconds).map(event).collect()
    }

    async fn fires(content: &TriggerContent, seconds: &[i64]) -> Vec<u64> {
        fires_but(content, seconds, &[]).await
    }

    /// Of some of them nothing can be handed over.
    async fn fires_but(content: &TriggerContent, seconds: &[i64], broken: &[u64]) -> Vec<u64> {
        let problems = broken.iter().map(|seq| (*seq, "broken".to_owned())).collect();
        let expressions = Expressions::in_this_process();
        let verdicts = rehearse(&expressions, content, &finished(seconds), &problems).await;
        assert!(broken.iter().all(|seq| verdicts.iter().any(|one| one.seq == *seq && one.why == "broken")));
        verdicts.iter().filter(|verdict| verdict.fires).map(|verdict| verdict.seq).collect()
    }

    fn after_first() -> TriggerContent {
        TriggerContent::after("first", "second".parse().unwrap())
    }

    #[tokio::test]
    async fn what_starts_nothing_uses_up_no_rate_and_takes_nobodys_place() {
        let limited =
            TriggerContent { rate_limit: Some(RateLimit { runs: 1, seconds: 60 }), ..after_first() };
        assert_eq!(fires_but(&limited, &[0, 10, 20], &[1]).await, [2]);
        let gathering = TriggerContent { debounce_ms: Some(5_000), ..after_first() };
        assert_eq!(fires_but(&gathering, &[0, 1, 2], &[3]).await, [2]);
    }

    #[tokio::test]
    async fn a_rate_limit_counts_from_event_to_event() {
        let limit = Some(RateLimit { runs: 2, seconds: 60 });
        let content = TriggerContent { rate_limit: limit, ..after_first() };
        assert_eq!(fires(&content, &[0, 1, 2, 61, 62]).await, [1, 2, 4, 5]);
    }

    #[tokio::test]
    async fn a_burst_fires_once_for_its_last_event() {
        let content = TriggerContent { debounce_ms: Some(5_000), ..after_first() };
        assert_eq!(fires(&content, &[0, 3, 6, 20]).await, [3, 4]);
        let limit = Some(RateLimit { runs: 1, seconds: 60 });
        let content = TriggerContent { rate_limit: limit, ..content };
        assert_eq!(fires(&content, &[0, 3, 6, 20, 90]).await, [3, 5], "a burst counts once");
    }

    #[tokio::test]
    async fn a_condition_is_asked_of_each() {
        let content = TriggerContent { condition: Some("event.output > 1".to_owned()), ..after_first() };
        let expressions = Expressions::in_this_process();
        let verdicts = rehearse(&expressions, &content, &finished(&[0, 1]), &HashMap::new()).await;
        assert_eq!(verdicts[0].why, "its condition `event.output > 1` is false");
        assert!(verdicts[1].fires);
    }
}
