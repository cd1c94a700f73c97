//! How long it took to make a cell, and each step of it: for measurements, and only kept where they are asked for.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::protocol::TimedStep;

/// More are not kept.
const KEPT: usize = 10_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Birth {
    /// As the zygote and the cell clock them.
    pub steps: Vec<Step>,
    /// From asking the zygote to hearing that the cell is ready.
    pub whole: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub name: String,
    /// By the clock on the wall, which goes on while others have the processor.
    pub wall: Duration,
    pub processor: Duration,
}

#[derive(Debug, Default)]
pub(crate) struct Births(Mutex<Vec<Birth>>);

impl Births {
    pub(crate) fn keep(&self, steps: Vec<TimedStep>, whole: Duration) {
        let step = |(name, wall, processor): TimedStep| Step {
            name,
            wall: Duration::from_nanos(wall),
            processor: Duration::from_nanos(processor),
        };
        let steps = steps.into_iter().map(step).collect();
        let mut births = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if births.len() < KEPT {
            births.push(Birth { steps, whole });
        }
    }

    pub(crate) fn take(&self) -> Vec<Birth> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
