//! Limits the cells that are in use at once. A Run that a caller waits for gets a place, or waits in a line that is bounded and fair between
//! callers. There is one such budget for Runs that people and programs wait for, and one for each level of nested Runs:
//! `model::run::nesting` says why.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use model::access::actor::Actor;
use model::run::turns::Turns;
use tokio::sync::oneshot;

use crate::clock::Clock;

pub(crate) struct Admission {
    line: Mutex<Line>,
    places: usize,
    /// The most who wait.
    longest: usize,
}

struct Line {
    free: usize,
    waiting: Turns<Actor, oneshot::Sender<CellPlace>>,
}

/// The right to one cell, for as long as it is held.
pub(crate) struct CellPlace {
    /// Taken out only of a place that nobody was there to receive.
    admission: Option<Arc<Admission>>,
}

/// A stand in the line that is kept while its owner also waits for other things.
pub(crate) struct InLine {
    admission: Arc<Admission>,
    who: Actor,
    waiting: Option<oneshot::Receiver<CellPlace>>,
    place: Option<CellPlace>,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoPlace {
    /// The line is full.
    Crowded { waiting: usize },
    /// It has not become free in time.
    Late,
}

impl Admission {
    pub(crate) fn new(places: usize, longest: usize) -> Arc<Admission> {
        let line = Mutex::new(Line { free: places, waiting: Turns::default() });
        Arc::new(Admission { line, places, longest })
    }

    pub(crate) fn taken(&self) -> usize {
        self.places - self.lock().free
    }

    /// Waits for a place until then.
    pub(crate) async fn enter(
        self: &Arc<Self>,
        who: &Actor,
        clock: &Clock,
        until: Timestamp,
    ) -> Result<CellPlace, NoPlace> {
        let place = match self.ask(who, until > clock.now())? {
            PlaceReply::Place(place) => return Ok(place),
            PlaceReply::Later(place) => place,
        };
        tokio::select! {
            biased;
            // It is handed over by one who gives theirs back, and nobody drops the other end before.
            place = place => place.map_err(|_| NoPlace::Late),
            () = clock.wait_until(until) => Err(NoPlace::Late),
        }
    }

    fn ask(self: &Arc<Self>, who: &Actor, may_wait: bool) -> Result<PlaceReply, NoPlace> {
        let mut line = self.lock();
        if line.free > 0 {
            line.free -= 1;
            return Ok(PlaceReply::Place(CellPlace::of(self)));
        }
        if !may_wait {
            return Err(NoPlace::Late);
        }
        if line.waiting.len() >= self.longest {
            line.waiting.retain(|place| !place.is_closed());
        }
        if line.waiting.len() >= self.longest {
            return Err(NoPlace::Crowded { waiting: line.waiting.len() });
        }
        let (hand, place) = oneshot::channel();
        line.waiting.push(who.clone(), hand);
        Ok(PlaceReply::Later(place))
    }

    fn give_back(self: &Arc<Self>) {
        loop {
            let next = {
                let mut line = self.lock();
                let next = line.waiting.pop();
                line.free += usize::from(next.is_none());
                next
            };
            let Some(next) = next else { return };
            match next.send(CellPlace::of(self)) {
                Ok(()) => return,
                // They have gone; it is the next one's.
                Err(mut place) => place.admission = None,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        // Nothing that holds the lock can panic half-way through a change.
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum PlaceReply {
    Place(CellPlace),
    Later(oneshot::Receiver<CellPlace>),
}

impl CellPlace {
    fn of(admission: &Arc<Admission>) -> CellPlace {
        CellPlace { admission: Some(Arc::clone(admission)) }
    }
}

impl Drop for CellPlace {
    fn drop(&mut self) {
        if let Some(admission) = self.admission.take() {
            admission.give_back();
        }
    }
}

impl InLine {
    pub(crate) fn new(admission: &Arc<Admission>, who: &Actor) -> InLine {
        InLine { admission: Arc::clone(admission), who: who.clone(), waiting: None, place: None }
    }

    /// A place, if it is there. If not, this stands in line from now on, unless the line is full.
    pub(crate) fn take(&mut self) -> Option<CellPlace> {
        if self.place.is_none() && self.waiting.is_none() {
            match self.admission.ask(&self.who, true) {
                Ok(PlaceReply::Place(place)) => return Some(place),
                Ok(PlaceReply::Later(place)) => self.waiting = Some(place),
                Err(_) => {}
            }
        }
        self.place.take()
    }

    /// Gives its stand up, and a place that it was given since.
    pub(crate) fn leave(&mut self) {
        (self.waiting, self.place) = (None, None);
    }

    /// Returns when a place was given to it; never while it does not stand in line.
    pub(crate) async fn ready(&mut self) {
        let Some(waiting) = &mut self.waiting else { return std::future::pending().await };
        let place = waiting.await;
        (self.waiting, self.place) = (None, place.ok());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use model::ids::TokenId;
    use uuid::Uuid;

    use super::*;

    fn token(number: u128) -> Actor {
        Actor::Token(TokenId(Uuid::from_u128(number)))
    }

    fn clock() -> Clock {
        Clock::still(Timestamp::UNIX_EPOCH)
    }

    const NEVER: Timestamp = Timestamp::MAX;

    #[tokio::test]
    async fn a_place_goes_to_whoever_has_waited_for_theirs_fairly() {
        let (admission, clock) = (Admission::new(1, 9), clock());
        let first = admission.enter(&token(1), &clock, NEVER).await.unwrap();
        let (told, mut served) = tokio::sync::mpsc::unbounded_channel();
        for who in [1, 1, 1, 2] {
            let (admission, clock, told) = (Arc::clone(&admission), clock.clone(), told.clone());
            let before = admission.lock().waiting.len();
            tokio::spawn({
                let admission = Arc::clone(&admission);
                async move {
                    let place = admission.enter(&token(who), &clock, NEVER).await;
                    told.send(who).unwrap();
                    drop(place);
                }
            });
            while admission.lock().waiting.len() == before {
                tokio::task::yield_now().await;
            }
        }
        drop(first);
        let mut order = Vec::new();
        for _ in 0..4 {
            order.extend(served.recv().await);
        }
        assert_eq!(order, [1, 2, 1, 1]);
        while admission.lock().free == 0 {
            tokio::task::yield_now().await;
        }
        assert!(admission.lock().waiting.is_empty());
    }

    #[tokio::test]
    async fn the_line_is_bounded_and_those_who_left_are_not_in_it() {
        let (admission, clock) = (Admission::new(1, 1), clock());
        let held = admission.enter(&token(1), &clock, NEVER).await.unwrap();
        let second = tokio::spawn({
            let (admission, clock) = (Arc::clone(&admission), clock.clone());
            async move { admission.enter(&token(2), &clock, NEVER).await.map(drop) }
        });
        while admission.lock().waiting.is_empty() {
            tokio::task::yield_now().await;
        }
        let third = admission.enter(&token(3), &clock, NEVER).await.map(drop);
        assert_eq!(third, Err(NoPlace::Crowded { waiting: 1 }));
        second.abort();
        assert!(second.await.unwrap_err().is_cancelled());
        let late = admission.enter(&token(3), &clock, clock.now()).await.map(drop);
        assert_eq!(late, Err(NoPlace::Late));
        let waiting = tokio::spawn({
            let (admission, clock) = (Arc::clone(&admission), clock.clone());
            async move { admission.enter(&token(3), &clock, NEVER).await.map(drop) }
        });
        while admission.lock().waiting.is_empty() {
            tokio::task::yield_now().await;
        }
        drop(held);
        assert_eq!(waiting.await.unwrap(), Ok(()));
        assert_eq!(admission.lock().free, 1);
    }

    #[tokio::test]
    async fn a_stand_in_line_is_kept_until_it_is_left_and_its_place_goes_to_the_next() {
        let admission = Admission::new(1, 2);
        let mut lines = [1, 2, 3].map(|number| InLine::new(&admission, &token(number)));
        let held = lines[0].take().unwrap();
        for line in &mut lines[1..] {
            assert!(line.take().is_none() && line.take().is_none());
        }
        assert_eq!(admission.lock().waiting.len(), 2);
        drop(held);
        lines[1].ready().await;
        lines[1].leave();
        lines[2].ready().await;
        let place = lines[2].take().unwrap();
        assert!(admission.lock().waiting.is_empty());
        drop(place);
        assert_eq!(admission.lock().free, 1);
        assert_eq!(
            Arc::strong_count(&admission),
            1 + lines.len(),
            "places that are given back leave nothing"
        );
    }

    #[tokio::test]
    async fn whoever_waits_too_long_leaves() {
        let (admission, clock) = (Admission::new(0, 1), clock());
        let until = clock.now() + Duration::from_secs(1);
        let waiting = tokio::spawn({
            let (admission, clock) = (Arc::clone(&admission), clock.clone());
            async move { admission.enter(&token(1), &clock, until).await.map(drop) }
        });
        while admission.lock().waiting.is_empty() {
            tokio::task::yield_now().await;
        }
        clock.advance(Duration::from_secs(1));
        assert_eq!(waiting.await.unwrap(), Err(NoPlace::Late));
    }
}
