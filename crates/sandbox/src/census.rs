//! How many cells there are, and how many there were: for those who watch the sandbox.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Environments that cells are forked from.
    pub zygotes: usize,
    /// Cells that wait for any job.
    pub ready: usize,
    /// Cells that wait for the next job of their key.
    pub warm: usize,
    /// Cells that do a job.
    pub busy: usize,
    /// Cells that were made so far.
    pub born: u64,
    /// Cells that could not be made.
    pub failed: u64,
}

/// What is counted as it happens.
#[derive(Debug, Default)]
pub(crate) struct Register {
    busy: AtomicUsize,
    born: AtomicU64,
    failed: AtomicU64,
}

/// A cell does a job as long as this is held.
pub(crate) struct Busy<'a>(&'a Register);

impl Register {
    pub(crate) fn busy(&self) -> Busy<'_> {
        self.busy.fetch_add(1, Ordering::Relaxed);
        Busy(self)
    }

    pub(crate) fn birth(&self, is_well: bool) {
        let counter = if is_well { &self.born } else { &self.failed };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// With those who wait left to whoever keeps them.
    pub(crate) fn census(&self) -> Census {
        Census {
            busy: self.busy.load(Ordering::Relaxed),
            born: self.born.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
            ..Census::default()
        }
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}
