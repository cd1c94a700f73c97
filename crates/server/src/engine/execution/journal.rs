//! The journal of one Run: the requests of each of its lanes and their results, so that a repeated request gets the same result.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use model::ids::RunId;
use model::run::RunError;
use model::run::bounds::{OverBound, RunBounds, Stored, journaled};
use model::run::lane::Lane;
use model::run::step::{Divergence, Step};
use serde_json::Value;

pub(crate) struct Journal {
    run: RunId,
    /// By lane and number.
    recorded: HashMap<Lane, HashMap<u32, Step>>,
    bounds: RunBounds,
    asked: Mutex<JournalCursor>,
}

/// What was asked for since the journal was opened.
struct JournalCursor {
    /// How many Steps each lane has asked for.
    numbers: HashMap<Lane, u32>,
    positions: Positions,
    /// Of what is recorded, how much was not asked for again.
    left: usize,
    stored: Stored,
}

/// Positions that no Step has. A Run that was interrupted may have left gaps, where Steps were asked for and not journaled.
struct Positions {
    gaps: BTreeSet<u32>,
    next: u32,
}

/// What the journal says to a request.
#[derive(Debug)]
pub(crate) enum Place {
    /// It was asked and answered before.
    Answered(Step),
    /// It was asked before and not answered.
    Open(Step),
    /// It is asked for the first time.
    New(Step),
    /// The Run may not store more. Nothing is journaled about it.
    Refused(OverBound),
}

impl Journal {
    pub(crate) fn new(run: RunId, steps: Vec<Step>, bounds: RunBounds) -> Journal {
        let asked = Mutex::new(JournalCursor {
            numbers: HashMap::new(),
            positions: Positions::beside(&steps),
            left: steps.len(),
            stored: Stored::of(&steps),
        });
        let mut recorded: HashMap<Lane, HashMap<u32, Step>> = HashMap::new();
        for step in steps {
            recorded.entry(step.lane.clone()).or_default().insert(step.number, step);
        }
        Journal { run, recorded, bounds, asked }
    }

    /// Takes the next number of a lane for a request.
    pub(crate) fn take(
        &self,
        lane: &Lane,
        verb: &str,
        request: Value,
        now: Timestamp,
    ) -> Result<Place, Box<Divergence>> {
        let request = journaled(request);
        let mut asked = self.asked();
        let number = asked.numbers.get(lane).copied().unwrap_or_default() + 1;
        let recorded = self.recorded.get(lane);
        let Some(step) = recorded.and_then(|steps| steps.get(&number)) else {
            let is_new_lane = number == 1 && recorded.is_none();
            if let Err(over) = asked.stored.ask(is_new_lane, &request, &self.bounds) {
                return Ok(Place::Refused(over));
            }
            asked.numbers.insert(lane.clone(), number);
            return Ok(Place::New(Step {
                run_id: self.run,
                lane: lane.clone(),
                number,
                position: asked.positions.take(),
                verb: verb.to_owned(),
                request,
                result: None,
                error: None,
                child: None,
                answered_by: None,
                started_at: now,
                finished_at: None,
            }));
        };
        asked.numbers.insert(lane.clone(), number);
        asked.left -= 1;
        drop(asked);
        // One that was journaled whole, before large requests were cut, is compared as it would be journaled now.
        step.answers(verb, &request).or_else(|divergence| {
            let is_same = step.verb == verb && journaled(step.request.clone()) == request;
            if is_same { Ok(()) } else { Err(divergence) }
        })?;
        Ok(if step.finished_at.is_some() { Place::Answered(step.clone()) } else { Place::Open(step.clone()) })
    }

    /// Whether there is room for what a Step answers.
    pub(crate) fn admit_answer(&self, result: &Value) -> Result<(), OverBound> {
        self.asked().stored.answer(result, &self.bounds)
    }

    /// Counts why a Step has no answer.
    pub(crate) fn count_error(&self, error: &RunError) {
        self.asked().stored.fail(error);
    }

    /// Whether the Run may emit the Event that a Step asks for.
    pub(crate) fn admit_event(&self, request: &Value) -> Result<(), OverBound> {
        self.asked().stored.emit(request, &self.bounds)
    }

    fn asked(&self) -> MutexGuard<'_, JournalCursor> {
        // Nothing that holds the lock can panic half-way through a change.
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing was recorded, and nothing was asked for since that may have been.
    pub(crate) fn is_empty(&self) -> bool {
        self.recorded.is_empty() && self.asked().numbers.is_empty()
    }

    /// How much of what was recorded has not been asked for again.
    pub(crate) fn left(&self) -> usize {
        self.asked().left
    }
}

impl Positions {
    fn beside(steps: &[Step]) -> Positions {
        let taken: BTreeSet<u32> = steps.iter().map(|step| step.position).collect();
        let next = taken.last().map_or(1, |last| last + 1);
        Positions { gaps: (1..next).filter(|position| !taken.contains(position)).collect(), next }
    }

    fn take(&mut self) -> u32 {
        self.gaps.pop_first().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    const RUN: RunId = RunId(Uuid::nil());
    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn lane(text: &str) -> Lane {
        text.parse().unwrap()
    }

    fn step(position: u32, verb: &str, finished: bool) -> Step {
        Step {
            run_id: RUN,
            lane: Lane::main(),
            number: position,
            position,
            verb: verb.to_owned(),
            request: json!({"n": position}),
            result: Some(json!(position)),
            error: None,
            child: None,
            answered_by: None,
            started_at: NOW,
            finished_at: finished.then_some(NOW),
        }
    }

    fn journal(steps: Vec<Step>) -> Journal {
        Journal::new(RUN, steps, RunBounds::default())
    }

    #[test]
    fn what_was_answered_is_answered_again_and_what_was_open_goes_on() {
        let journal = journal(vec![step(1, "now", true), step(2, "sleep", false)]);
        let main = Lane::main();
        assert!(!journal.is_empty());
        assert!(matches!(journal.take(&main, "now", json!({"n": 1}), NOW), Ok(Place::Answered(_))));
        assert_eq!(journal.left(), 1);
        assert!(matches!(journal.take(&main, "sleep", json!({"n": 2}), NOW), Ok(Place::Open(_))));
        assert!(
            matches!(journal.take(&main, "emit", json!({}), NOW), Ok(Place::New(step)) if step.position == 3)
        );
        assert_eq!(journal.left(), 0);
    }

    #[test]
    fn a_journal_is_empty_until_something_is_asked_for() {
        let journal = journal(Vec::new());
        assert!(journal.is_empty());
        assert!(matches!(journal.take(&Lane::main(), "now", json!({}), NOW), Ok(Place::New(_))));
        assert!(!journal.is_empty(), "it may have been written although nobody heard so");
    }

    #[test]
    fn asking_for_something_else_is_a_divergence_that_shows_both() {
        let divergence =
            journal(vec![step(1, "now", true)]).take(&Lane::main(), "random", json!({}), NOW).unwrap_err();
        assert_eq!(
            divergence.to_string(),
            "step 1 of lane `main` was `now` with {\"n\":1}, and is now `random` with {}"
        );
    }

    #[test]
    fn what_was_asked_and_not_journaled_leaves_a_gap_that_the_next_step_fills() {
        let steps =
            vec![step(1, "now", true), Step { lane: lane("main/1"), number: 1, ..step(4, "now", true) }];
        let journal = journal(steps);
        let mut position = |asks: &str| match journal.take(&lane(asks), "random", json!({}), NOW) {
            Ok(Place::New(step)) => step.position,
            other => panic!("{other:?}"),
        };
        assert_eq!(["a", "b", "a", "a"].map(&mut position), [2, 3, 5, 6]);
    }

    #[test]
    fn a_run_has_so_many_lanes() {
        let bounds = RunBounds { lanes: 2, ..RunBounds::default() };
        let journal = Journal::new(RUN, vec![step(1, "now", true)], bounds);
        let ask = |asks: &str| journal.take(&lane(asks), "now", json!({"n": 1}), NOW).unwrap();
        assert!(matches!(ask("main"), Place::Answered(_)));
        assert!(matches!(ask("main/1"), Place::New(_)));
        assert!(matches!(ask("main/1"), Place::New(_)));
        assert!(matches!(ask("main/2"), Place::Refused(OverBound::Lanes { most: 2 })));
    }

    /// Lanes that take turns: each asks for its own Steps in order, and the turns say which lane is next.
    fn turns() -> impl Strategy<Value = (Vec<usize>, Vec<usize>)> {
        proptest::collection::vec(0_usize..8, 0..60)
            .prop_flat_map(|turns| (Just(turns.clone()), Just(turns).prop_shuffle()))
    }

    /// What a lane asks for next, told from all that others ask.
    fn ask(journal: &Journal, counts: &mut [u32; 8], turn: usize) -> Result<Place, Box<Divergence>> {
        counts[turn] += 1;
        let request = json!({ "lane": turn, "turn": counts[turn] });
        journal.take(&lane(&format!("main/{turn}")), "run", request, NOW)
    }

    proptest! {
        #[test]
        fn lanes_are_answered_alike_however_they_are_interleaved(
            (first, second) in turns(), killed in 0_usize..60, lost in proptest::collection::vec(any::<bool>(), 60)
        ) {
            // The first time, some of the last Steps of the lanes were not journaled when the run was killed.
            let mut steps: Vec<Step> = Vec::new();
            let (journal, mut counts, mut is_over) = (journal(Vec::new()), [0; 8], [false; 8]);
            for (place, turn) in first.iter().enumerate().take(killed) {
                if is_over[*turn] {
                    continue;
                }
                let Ok(Place::New(step)) = ask(&journal, &mut counts, *turn) else { panic!("all is new") };
                is_over[*turn] = lost[place];
                if !lost[place] {
                    steps.push(Step { result: Some(step.request.clone()), finished_at: Some(NOW), ..step });
                }
            }
            let recorded = steps.len();
            let again = self::journal(steps.clone());
            let (mut counts, mut answered) = ([0; 8], 0);
            for turn in second {
                match ask(&again, &mut counts, turn) {
                    Ok(Place::Answered(step)) => {
                        prop_assert_eq!(step.result, Some(json!({ "lane": turn, "turn": counts[turn] })));
                        answered += 1;
                    }
                    Ok(Place::New(step)) => steps.push(step),
                    other => prop_assert!(false, "{:?}", other),
                }
            }
            prop_assert_eq!((answered, again.left()), (recorded, 0));
            let mut positions: Vec<u32> = steps.iter().map(|step| step.position).collect();
            positions.sort_unstable();
            prop_assert_eq!(positions, (1..=steps.len() as u32).collect::<Vec<_>>());
        }
    }
}
