//! The processor time of a cell's processes, over all of them and over time. The kernel adds up the time of those that ended
//! only for a parent that waits for them, so what was seen of each while it lived is remembered.

use std::collections::HashMap;
use std::time::Duration;

use crate::limits::procfs::waited_for;
use crate::sys::cpu_time;

#[derive(Debug, Default)]
pub(super) struct ProcessTimes {
    /// Of each process at the last look: its own time and that of children it waited for.
    seen: HashMap<i32, Duration>,
    /// What was seen last of those that have ended since.
    ended: Duration,
}

impl ProcessTimes {
    /// The time of the given processes and of all that were given before. Never more than was used: what a process used
    /// between the last look and its end is missing, unless someone waited for it.
    pub(super) fn of(&mut self, family: &[i32]) -> Duration {
        let told = |pid: &i32| (*pid, cpu_time(*pid).unwrap_or_default(), waited_for(*pid));
        self.add(&family.iter().map(told).collect::<Vec<_>>())
    }

    /// Process, its own time, that of children it waited for.
    fn add(&mut self, told: &[(i32, Duration, Duration)]) -> Duration {
        let before = std::mem::take(&mut self.seen);
        self.seen = told.iter().map(|(pid, own, waited)| (*pid, *own + *waited)).collect();
        // A number that stands for less time than before stands for another process.
        let gone = |(pid, time): &(&i32, &Duration)| self.seen.get(pid).is_none_or(|now| now < *time);
        self.ended += before.iter().filter(gone).map(|(_, time)| *time).sum::<Duration>();
        let own: Duration = told.iter().map(|(_, own, _)| *own).sum();
        let waited: Duration = told.iter().map(|(_, _, waited)| *waited).sum();
        // Both tell of processes that have ended; each may know of some that the other does not.
        own + waited.max(self.ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    fn told(pid: i32, own: u64, waited: u64) -> (i32, Duration, Duration) {
        (pid, millis(own), millis(waited))
    }

    #[test]
    fn time_of_processes_that_nobody_waited_for_is_not_lost() {
        let mut process_times = ProcessTimes::default();
        for n in 1..=5 {
            assert_eq!(
                process_times.add(&[told(1, 1, 0), told(10 + n, 100, 0)]),
                millis(1 + 100 * n.unsigned_abs() as u64)
            );
        }
    }

    #[test]
    fn time_that_a_parent_waited_for_is_not_counted_twice() {
        let mut process_times = ProcessTimes::default();
        process_times.add(&[told(1, 1, 0), told(2, 100, 0)]);
        assert_eq!(process_times.add(&[told(1, 1, 110)]), millis(111));
    }

    #[test]
    fn what_a_process_waited_for_stays_when_it_ends_itself() {
        let mut process_times = ProcessTimes::default();
        process_times.add(&[told(1, 1, 0), told(2, 5, 200)]);
        assert_eq!(process_times.add(&[told(1, 1, 0)]), millis(206));
    }

    #[test]
    fn a_number_that_is_given_again_is_another_process() {
        let mut process_times = ProcessTimes::default();
        process_times.add(&[told(1, 1, 0), told(2, 100, 0)]);
        assert_eq!(process_times.add(&[told(1, 1, 0), told(2, 10, 0)]), millis(111));
    }
}
