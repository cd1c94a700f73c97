//! Whether something that starts Runs by itself keeps failing.

/// What became of one time that it was its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A Run that succeeded.
    Fine,
    /// A Run that has not ended, or was withdrawn or cancelled: it says nothing.
    Open,
    /// Nothing was started, or what was started failed; and why.
    Failed(String),
}

/// Once can happen. Twice in a row needs someone to look.
const LEAST: usize = 2;

/// How many of the newest turns failed in a row, if it is more than one; newest first.
pub fn failed_in_a_row(turns: &[Turn]) -> Option<usize> {
    let told = turns.iter().filter(|turn| **turn != Turn::Open);
    let failed = told.take_while(|turn| matches!(turn, Turn::Failed(_))).count();
    (failed >= LEAST).then_some(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `.` is fine, `?` open, `x` failed; the newest first.
    fn streak(turns: &str) -> Option<usize> {
        let turn = |letter| match letter {
            '.' => Turn::Fine,
            '?' => Turn::Open,
            _ => Turn::Failed("it is broken".to_owned()),
        };
        failed_in_a_row(&turns.chars().map(turn).collect::<Vec<_>>())
    }

    #[test]
    fn twice_in_a_row_is_a_streak_and_once_is_not() {
        assert_eq!(["", "x", "x.x", ".xxx", "?", "??"].map(streak), [None; 6]);
        assert_eq!(["xx", "xx.x", "xxx"].map(streak), [Some(2), Some(2), Some(3)]);
    }

    #[test]
    fn what_has_not_ended_says_nothing() {
        assert_eq!(["?xx", "x?x", "?x.x", "?."].map(streak), [Some(2), Some(2), None, None]);
    }
}
