//! Large values of Events: an Event that tells of the end of a Run leaves what takes much room in the record of the Run, and whoever
//! needs it reads it there. So no Event takes much more than [`INLINE_BYTES`].

use serde_json::{Value, json};

use crate::event::{Event, NewEvent};
use crate::ids::RunId;
use crate::input::json_size::json_size;
use crate::run::Run;

/// What an Event may carry of a Run's values, all together.
pub const INLINE_BYTES: u64 = 256 << 10;

/// Names the values that are only in the record of the Run.
const LEFT: &str = "left_in_run";
const VALUES: [&str; 2] = ["input", "output"];

impl NewEvent {
    /// Without the values of the Run where those would make it too large.
    #[must_use]
    pub fn leaving_large_values(mut self) -> NewEvent {
        let Some(data) = self.data.as_object_mut() else { return self };
        let size: u64 = VALUES.iter().filter_map(|name| data.get(*name)).map(json_size).sum();
        if size > INLINE_BYTES {
            let left: Vec<&str> =
                VALUES.into_iter().filter(|name| data.shift_remove(*name).is_some()).collect();
            data.insert(LEFT.to_owned(), json!(left));
        }
        self
    }
}

impl Event {
    /// The Run in whose record it left values.
    pub fn left_in(&self) -> Option<RunId> {
        self.fact.data.get(LEFT)?;
        self.fact.data["run_id"].as_str()?.parse().ok()
    }

    /// With the values that it left in the record of its Run.
    #[must_use]
    pub fn completed(mut self, run: &Run) -> Event {
        let Some(data) = self.fact.data.as_object_mut() else { return self };
        if let Some(Value::Array(left)) = data.shift_remove(LEFT) {
            for name in left.iter().filter_map(Value::as_str) {
                let value = match name {
                    "input" => run.input.clone(),
                    _ => run.output.clone().unwrap_or_default(),
                };
                data.insert(name.to_owned(), value);
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::access::actor::Actor;
    use crate::event::EventKind;

    fn failed_event(data: Value) -> NewEvent {
        let (source, actor, at) = ("f".to_owned(), Actor::CommandLine, Timestamp::UNIX_EPOCH);
        NewEvent { kind: EventKind::RunFinished, source, data, actor, at }
    }

    #[test]
    fn only_what_is_too_large_is_left_in_the_run() {
        let small = json!({ "run_id": RunId(uuid::Uuid::nil()), "input": {}, "output": "x".repeat(1000) });
        assert_eq!(failed_event(small.clone()).leaving_large_values().data, small);
        let mut large = small;
        large["output"] = json!("x".repeat(300_000));
        let event = Event { seq: 1, fact: failed_event(large).leaving_large_values() };
        assert!(json_size(&event) < 1000, "{event:?}");
        assert_eq!(event.fact.data[LEFT], json!(["input", "output"]));
        assert_eq!(event.left_in(), Some(RunId(uuid::Uuid::nil())));
    }
}
