//! The newest Events in memory, bounded by number and by size.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::event::Event;
use model::input::json_size::json_size;

/// How many are remembered.
const MOST: usize = 4_096;
/// How many bytes they take together, as JSON. The newest is remembered however large it is.
const MOST_BYTES: u64 = 16 << 20;
/// How many bytes a reader takes at once; one at least.
const READ_BYTES: u64 = 4 << 20;

#[derive(Default)]
pub(crate) struct Recent(Mutex<Window>);

#[derive(Default)]
struct Window {
    events: VecDeque<(Arc<Event>, u64)>,
    bytes: u64,
}

impl Recent {
    pub(crate) fn add(&self, events: Vec<Event>) {
        let mut kept = self.lock();
        for event in events {
            let bytes = json_size(&event);
            kept.bytes += bytes;
            kept.events.push_back((Arc::new(event), bytes));
            while (kept.bytes > MOST_BYTES || kept.events.len() > MOST) && kept.events.len() > 1 {
                let oldest = kept.events.pop_front().map_or(0, |(_, bytes)| bytes);
                kept.bytes -= oldest;
            }
        }
    }

    /// Those after this one, in order, if all of them are remembered.
    pub(crate) fn after(&self, seq: u64, limit: usize) -> Option<Vec<Arc<Event>>> {
        let kept = self.lock();
        let first = kept.events.front()?.0.seq;
        if first > seq + 1 {
            return None;
        }
        let skipped = usize::try_from(seq + 1 - first).ok()?;
        let mut room = READ_BYTES;
        let fits = |(_, bytes): &&(Arc<Event>, u64)| {
            let is_room = room > 0;
            room = room.saturating_sub(*bytes);
            is_room
        };
        let events = kept.events.iter().skip(skipped).take(limit).take_while(fits);
        Some(events.map(|(event, _)| Arc::clone(event)).collect())
    }

    fn lock(&self) -> MutexGuard<'_, Window> {
        // Nothing that holds the lock can panic half-way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use model::access::actor::Actor;
    use model::event::{EventKind, NewEvent};
    use serde_json::json;

    use super::*;

    fn event(seq: u64, bytes: usize) -> Event {
        let fact = NewEvent {
            kind: EventKind::Custom("e".to_owned()),
            source: "f".to_owned(),
            data: json!("x".repeat(bytes)),
            actor: Actor::CommandLine,
            at: Timestamp::UNIX_EPOCH,
        };
        Event { seq, fact }
    }

    /// What is really held, counted from the events themselves.
    fn held(recent: &Recent) -> u64 {
        recent.lock().events.iter().map(|(event, _)| json_size(&**event)).sum()
    }

    #[test]
    fn large_events_take_no_more_room_than_small_ones() {
        let recent = Recent::default();
        for seq in 1..=30 {
            recent.add(vec![event(seq, 1 << 20)]);
            assert!(recent.lock().bytes <= MOST_BYTES, "{} bytes after event {seq}", recent.lock().bytes);
        }
        let counted = recent.lock().bytes;
        assert_eq!(counted, held(&recent), "what it counts is what it holds");
        assert!(recent.lock().bytes > MOST_BYTES / 2, "as much as may be is remembered");
        assert!(recent.after(3, 500).is_none(), "what is forgotten is in the log");
    }

    #[test]
    fn small_events_are_bounded_by_number() {
        let recent = Recent::default();
        recent.add((1..=5_000).map(|seq| event(seq, 1)).collect());
        assert_eq!(recent.lock().events.len(), MOST);
        let after: Vec<u64> = recent.after(4_990, 500).unwrap().iter().map(|event| event.seq).collect();
        assert_eq!(after, (4_991..=5_000).collect::<Vec<_>>());
    }

    #[test]
    fn a_reader_takes_one_at_least_and_not_all_of_the_large_ones() {
        let recent = Recent::default();
        recent.add((6..=10).map(|seq| event(seq, 3 << 20)).collect());
        let taken = recent.after(5, 500).unwrap();
        assert_eq!(taken.iter().map(|event| event.seq).collect::<Vec<_>>(), [6, 7]);
        recent.add(vec![event(11, 17 << 20)]);
        assert_eq!(recent.after(10, 500).unwrap().len(), 1);
    }
}
