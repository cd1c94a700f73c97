//! Nesting: how deep Runs may start Runs that they wait for, and how many of those are executed at once.

use thiserror::Error;

/// The deepest level of nested Runs. A function that runs itself in a cell of its own without an end stops here.
pub const DEEPEST: u32 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NestingError {
    #[error("runs are nested {DEEPEST} levels deep already, the most allowed")]
    TooDeep,
    #[error("{waiting} nested runs wait for a cell already, the most allowed")]
    Crowded { waiting: usize },
}

impl NestingError {
    pub fn hint(&self) -> &'static str {
        match self {
            NestingError::TooDeep => "let the function loop instead of running itself",
            NestingError::Crowded { .. } => {
                "start fewer at once, or wait and try again; the setting `nested_at_once` says how many are executed at once"
            }
        }
    }
}

/// How many cells the nested Runs of each level may have, level 1 first.
///
/// A Run holds its cell while it waits for the Runs that it started. If all of them drew from one budget, parents could hold
/// all of it and wait for children that get nothing. So each level has a budget of its own: a Run waits only for cells
/// of the next deeper level, the deepest level waits for nobody, and by induction every level gets its cells back.
///
/// Each level has half of what the levels above left over, and at least one: the sum is at most `total` plus one for each level.
pub fn cells_per_level(total: usize) -> Vec<usize> {
    let mut left = total;
    let level = |_| {
        let cells = left.div_ceil(2).max(1);
        left = left.saturating_sub(cells);
        cells
    };
    (0..DEEPEST).map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_has_a_cell_and_the_sum_is_bounded() {
        for total in [1, 2, 7, 32, 1_000] {
            let levels = cells_per_level(total);
            assert_eq!(levels.len(), DEEPEST as usize);
            assert!(levels.iter().all(|cells| *cells > 0), "{levels:?}");
            assert!(levels.is_sorted_by(|above, below| above >= below), "{levels:?}");
            assert!(levels.iter().sum::<usize>() <= total + DEEPEST as usize, "{levels:?}");
        }
        assert_eq!(cells_per_level(32)[..6], [16, 8, 4, 2, 1, 1]);
    }
}
