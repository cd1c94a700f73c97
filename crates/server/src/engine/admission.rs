//! Cells at once. Whoever wants a Run carried out while they wait gets a place, or stands in a line that is bounded and fair between
//! those who ask. What a Run calls needs no place of its own: it would wait for what its caller holds.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use model::actor::Actor;
use model::turns::Turns;
use tokio::sync::oneshot;

use crate::clock::Clock;

pub(crate) struct Admission {
    line: Mutex<Line>,
    /// The most who wait.
    longest: usize,
}

struct Line {
    free: usize,
    waiting: Turns<Actor, oneshot::Sender<CellPlace>>,
}

/// The right to one cell, for as long as it is held.
pub(crate) struct CellPlace(Arc<Admission>);

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
        Arc::new(Admission { line, longest })
    }

    /// Waits for a place until then.
    pub(crate) async fn enter(
        self: &Arc<Self>,
        who: &Actor,
        clock: &Clock,
        until: Timestamp,
    ) -> Result<CellPlace, NoPlace> {
        let place = match self.ask(who, until > clock.now())? {
            Asked::Place(place) => return Ok(place),
            Asked::Later(place) => place,
        };
        tokio::select! {
            biased;
            // It is handed over by one who gives theirs back, and nobody drops the other end before.
            place = place => place.map_err(|_| NoPlace::Late),
            () = clock.wait_until(until) => Err(NoPlace::Late),
        }
    }

    fn ask(self: &Arc<Self>, who: &Actor, may_wait: bool) -> Result<Asked, NoPlace> {
        let mut line = self.lock();
        if line.free > 0 {
            line.free -= 1;
            return Ok(Asked::Place(CellPlace(Arc::clone(self))));
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
        Ok(Asked::Later(place))
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
            match next.send(CellPlace(Arc::clone(self))) {
                Ok(()) => return,
                // They have gone; it is the next one's.
                Err(place) => std::mem::forget(place),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        // Nothing that holds the lock can panic half-way through a change.
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Asked {
    Place(CellPlace),
    Later(oneshot::Receiver<CellPlace>),
}

impl Drop for CellPlace {
    fn drop(&mut self) {
        self.0.give_back();
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
