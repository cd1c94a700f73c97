//! Chains: Runs that started Runs by triggers, limited so that none continues forever.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ids::{EntryId, RunId};

/// Where a Run stands in the chain that led to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Chain {
    /// The Run that began it; absent for a Run that began one itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<RunId>,
    /// The triggers that fired on the way here, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fired: Vec<EntryId>,
}

/// What every chain must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct ChainLimits {
    /// Triggers one after the other.
    pub depth: usize,
    /// Runs over all branches.
    pub runs: u64,
    /// How often one trigger may fire on the way to a Run: 1 means never because of itself.
    pub repetitions: usize,
}

impl Default for ChainLimits {
    fn default() -> ChainLimits {
        ChainLimits { depth: 32, runs: 1_000, repetitions: 1 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ChainEnd {
    #[error("the chain is {0} triggers deep, the maximum allowed")]
    Depth(usize),
    #[error("the chain has started {0} runs, the maximum allowed")]
    Runs(u64),
    #[error("the trigger fired {0} times in this chain, the maximum allowed; it would loop")]
    Repetition(usize),
}

impl Chain {
    pub fn is_default(&self) -> bool {
        *self == Chain::default()
    }

    /// The chain of a Run that `trigger` starts because of `upstream`, whose chain this is and whose chain has started
    /// `runs` so far.
    pub fn next(
        &self,
        upstream: RunId,
        trigger: EntryId,
        runs: u64,
        limits: &ChainLimits,
    ) -> Result<Chain, ChainEnd> {
        if self.fired.len() >= limits.depth {
            return Err(ChainEnd::Depth(limits.depth));
        }
        let repetitions = self.fired.iter().filter(|fired| **fired == trigger).count();
        if repetitions >= limits.repetitions {
            return Err(ChainEnd::Repetition(limits.repetitions));
        }
        if runs >= limits.runs {
            return Err(ChainEnd::Runs(limits.runs));
        }
        let mut fired = self.fired.clone();
        fired.push(trigger);
        Ok(Chain { root: Some(self.root.unwrap_or(upstream)), fired })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn run(n: u128) -> RunId {
        RunId(Uuid::from_u128(n))
    }

    fn trigger(n: u128) -> EntryId {
        EntryId(Uuid::from_u128(n))
    }

    #[test]
    fn two_triggers_that_start_each_other_fire_once_each() {
        let limits = ChainLimits::default();
        let one = Chain::default().next(run(1), trigger(1), 0, &limits).unwrap();
        let two = one.next(run(2), trigger(2), 1, &limits).unwrap();
        assert_eq!(two.root, Some(run(1)));
        assert_eq!(two.next(run(3), trigger(1), 2, &limits), Err(ChainEnd::Repetition(1)));
    }

    #[test]
    fn a_chain_ends_at_its_depth() {
        let limits = ChainLimits { depth: 3, ..ChainLimits::default() };
        let mut chain = Chain::default();
        for n in 0..3 {
            chain = chain.next(run(n), trigger(n), 0, &limits).unwrap();
        }
        assert_eq!(chain.next(run(4), trigger(4), 0, &limits), Err(ChainEnd::Depth(3)));
    }

    #[test]
    fn a_chain_that_branches_ends_at_its_number_of_runs() {
        let limits = ChainLimits { runs: 5, ..ChainLimits::default() };
        assert_eq!(Chain::default().next(run(1), trigger(1), 5, &limits), Err(ChainEnd::Runs(5)));
    }
}
