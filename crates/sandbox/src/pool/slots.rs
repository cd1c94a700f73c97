//! The slots of a nest: cells that are ready, those who wait for one, and how many are being made. It decides and does not
//! wait, so it is kept behind a plain lock.

use std::collections::VecDeque;
use std::task::Waker;

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::cell::Cell;
use crate::error::Error;

/// Forks asked for at once. The zygote makes one at a time; the next is asked for while the last puts on its layers.
const WINDOW: usize = 2;

pub(super) struct Slots {
    pub(super) ready: VecDeque<Cell>,
    /// Those who found nothing ready, first come first served.
    pub(super) waiting: VecDeque<oneshot::Sender<Result<Cell, Error>>>,
    /// Those who wait until all slots are filled, and want to hear why they are not.
    pub(super) asking: Vec<oneshot::Sender<Error>>,
    forking: usize,
    /// How many of those are made for someone who waits.
    hurrying: usize,
    pub(super) failures: u32,
    /// Nothing is made in advance until the rest after a failure is over.
    pub(super) resting: bool,
    pub(super) last_used: Instant,
    pub(super) retired: bool,
}

/// A cell that is being made.
pub(super) struct Claim {
    /// Someone waits for it.
    pub(super) hurry: bool,
}

impl Slots {
    pub(super) fn new() -> Slots {
        Slots {
            ready: VecDeque::new(),
            waiting: VecDeque::new(),
            asking: Vec::new(),
            forking: 0,
            hurrying: 0,
            failures: 0,
            resting: false,
            last_used: Instant::now(),
            retired: false,
        }
    }

    /// Someone who waits for a cell uses it.
    pub(super) fn last_used(&mut self) -> Instant {
        if !self.waiting.is_empty() || !self.asking.is_empty() {
            self.last_used = Instant::now();
        }
        self.last_used
    }

    /// Whether one more cell is to be made, where so many should be ready.
    pub(super) fn claim(&mut self, ready_cells: usize) -> Option<Claim> {
        // Nothing is made for those who have got another cell, or have gone away.
        self.waiting.retain(|place| !place.is_closed());
        let idle = self.retired || self.resting && self.asking.is_empty();
        let wanted = self.waiting.len() + if idle { 0 } else { ready_cells };
        if self.forking >= WINDOW || self.ready.len() + self.forking >= wanted {
            return None;
        }
        let claim = Claim { hurry: self.waiting.len() > self.hurrying };
        self.forking += 1;
        self.hurrying += usize::from(claim.hurry);
        Some(claim)
    }

    /// Gives what was made to whoever waited longest, or keeps it; tells a failure to those who wait. A failure that nobody
    /// waited for comes back.
    pub(super) fn finish_claim(
        &mut self,
        claim: &Claim,
        made: Result<Cell, Error>,
        waker: &Waker,
    ) -> Result<(), Error> {
        self.forking -= 1;
        self.hurrying -= usize::from(claim.hurry);
        match made {
            Ok(cell) => {
                self.failures = 0;
                self.asking.clear();
                self.put(cell, waker);
                Ok(())
            }
            Err(error) => self.fail_waiting(error),
        }
    }

    /// The next ready cell that is still there, or the promise of one.
    pub(super) fn take(&mut self) -> Result<Cell, oneshot::Receiver<Result<Cell, Error>>> {
        while let Some(cell) = self.ready.pop_front() {
            if cell.is_idle() {
                return Ok(cell);
            }
        }
        let (place, next) = oneshot::channel();
        self.waiting.push_back(place);
        Err(next)
    }

    /// Gives a cell to whoever waited longest, or keeps it.
    pub(super) fn put(&mut self, mut cell: Cell, waker: &Waker) {
        while let Some(place) = self.waiting.pop_front() {
            match place.send(Ok(cell)) {
                // Whoever waited there has gone away, and the next one gets it.
                Err(Ok(back)) => cell = back,
                _ => return,
            }
        }
        if !self.retired && cell.guard(waker) {
            self.ready.push_back(cell);
        }
    }

    /// That a zygote does not start concerns all who wait, a failed fork only the first.
    fn fail_waiting(&mut self, mut error: Error) -> Result<(), Error> {
        if let Error::Zygote { environment, why } = &error {
            for place in self.waiting.drain(1.min(self.waiting.len())..) {
                let error = Error::Zygote { environment: environment.clone(), why: why.clone() };
                // They may have gone away.
                let _ = place.send(Err(error));
            }
        }
        while let Some(place) = self.waiting.pop_front() {
            match place.send(Err(error)) {
                Err(Err(back)) => error = back,
                _ => return Ok(()),
            }
        }
        while let Some(ear) = self.asking.pop() {
            match ear.send(error) {
                Err(back) => error = back,
                Ok(()) => return Ok(()),
            }
        }
        Err(error)
    }
}
