//! Ticks: which of the moments that have passed start a Run, and what happens to those that were missed.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

use super::timetable::Timetable;
use crate::schedule::Missed;

/// A tick that is noticed within this time was not missed: a server restarts, or a machine is busy, for longer than a
/// moment and less than this.
pub const ON_TIME: SignedDuration = SignedDuration::from_secs(60);

/// Missed ticks are counted up to this number; beyond it "more than" is said.
const COUNTED: usize = 10_000;

/// What is to be done about the moments that have passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ticks {
    /// Each starts a Run, in this order.
    pub due: Vec<Timestamp>,
    pub left_out: Option<LeftOut>,
}

/// Ticks that start nothing, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub first: Timestamp,
    pub last: Timestamp,
    pub count: usize,
    /// Whether there were more than `count`.
    pub uncounted: bool,
    pub policy: Missed,
    /// How many may be made up for at most.
    pub cap: usize,
}

impl Timetable {
    /// The ticks after `last` up to and including `now`. `last` is the last tick that was handled, or the moment the
    /// Schedule began or was resumed if that is later. `cap` bounds how many are made up for under [`Missed::All`].
    pub fn ticks_between(&self, last: Timestamp, now: Timestamp, missed: Missed, cap: usize) -> Ticks {
        let passed: Vec<Timestamp> = self.after(last).take_while(|at| *at <= now).take(COUNTED + 1).collect();
        let uncounted = passed.len() > COUNTED;
        let wanted = match missed {
            Missed::Skip | Missed::Once => 1,
            Missed::All => cap.max(1),
        };
        let mut due = if uncounted { self.newest(last, now, wanted) } else { tail(&passed, wanted) };
        if missed == Missed::Skip {
            due.retain(|at| now.duration_since(*at) <= ON_TIME);
        }
        let count = if uncounted { COUNTED } else { passed.len() - due.len() };
        let left_out = passed.first().filter(|_| count > 0).map(|first| LeftOut {
            first: *first,
            last: self.last_before(*first, due.first().copied(), now),
            count,
            uncounted,
            policy: missed,
            cap,
        });
        Ticks { due, left_out }
    }

    /// The newest ticks in a duration, without going through all of them.
    fn newest(&self, after: Timestamp, until: Timestamp, count: usize) -> Vec<Timestamp> {
        let mut found = Vec::new();
        let mut until = until;
        while found.len() < count
            && let Some(at) = self.last_in(after, until)
        {
            found.push(at);
            until = at - SignedDuration::from_nanos(1);
        }
        found.reverse();
        found
    }

    /// The last tick after one moment and not after another. "Is there one more up to the end?" is true before that tick
    /// and false from it on, so halving the span finds it.
    fn last_in(&self, after: Timestamp, until: Timestamp) -> Option<Timestamp> {
        let next = |from: Timestamp| self.next_after(from).filter(|at| *at <= until);
        let mut found = next(after)?;
        let mut high = until;
        while found < high {
            let middle = found + high.duration_since(found) / 2;
            match next(middle) {
                Some(later) => found = later,
                None => high = middle,
            }
            if high.duration_since(found) < SignedDuration::from_nanos(2) {
                break;
            }
        }
        Some(found)
    }

    /// The last of those that are left out.
    fn last_before(&self, first: Timestamp, due: Option<Timestamp>, now: Timestamp) -> Timestamp {
        let until = due.map_or(now, |due| due - SignedDuration::from_nanos(1));
        self.last_in(first, until).unwrap_or(first)
    }
}

fn tail(passed: &[Timestamp], count: usize) -> Vec<Timestamp> {
    passed[passed.len().saturating_sub(count)..].to_vec()
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = if self.uncounted { "more than " } else { "" };
        let (first, last) = (self.first, self.last);
        match (self.count, self.uncounted) {
            (1, false) => write!(f, "1 missed tick ({first}) starts nothing: ")?,
            (count, _) => write!(f, "{more}{count} missed ticks, from {first} to {last}, start nothing: ")?,
        }
        match self.policy {
            Missed::Skip => f.write_str("`missed` is `skip`"),
            Missed::Once => f.write_str("`missed` is `once`, so only the newest is made up for"),
            Missed::All => {
                write!(f, "`missed` is `all`, and at most the newest {} are made up for", self.cap)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;
    use jiff::tz::TimeZone;

    use super::*;
    use crate::schedule::timetable::Rule;

    fn hourly() -> Timetable {
        Timetable { rule: Rule::Every(3600), zone: TimeZone::UTC }
    }

    fn at(text: &str) -> Timestamp {
        format!("2026-01-01T{text}Z").parse().unwrap()
    }

    fn missed(policy: Missed, until: &str, cap: usize) -> (Vec<String>, String) {
        let ticks = hourly().ticks_between(at("00:00:00"), at(until), policy, cap);
        let due = ticks.due.iter().map(|at| at.strftime("%H:%M").to_string()).collect();
        (due, ticks.left_out.map(|left| left.to_string()).unwrap_or_default())
    }

    #[test]
    fn a_tick_that_is_on_time_is_due_under_every_policy() {
        for policy in [Missed::Skip, Missed::Once, Missed::All] {
            assert_eq!(missed(policy, "01:00:02", 9), (vec!["01:00".to_owned()], String::new()));
            assert_eq!(missed(policy, "00:59:59", 9), (Vec::new(), String::new()));
        }
    }

    #[test]
    fn skip_leaves_out_what_was_missed() {
        let (due, why) = missed(Missed::Skip, "03:30:00", 9);
        assert!(due.is_empty());
        insta::assert_snapshot!(why, @"3 missed ticks, from 2026-01-01T01:00:00Z to 2026-01-01T03:00:00Z, start nothing: `missed` is `skip`");
        let (due, why) = missed(Missed::Skip, "03:00:10", 9);
        assert_eq!(due, ["03:00"]);
        insta::assert_snapshot!(why, @"2 missed ticks, from 2026-01-01T01:00:00Z to 2026-01-01T02:00:00Z, start nothing: `missed` is `skip`");
    }

    #[test]
    fn once_makes_up_for_all_with_the_newest() {
        let (due, why) = missed(Missed::Once, "02:30:00", 9);
        assert_eq!(due, ["02:00"]);
        insta::assert_snapshot!(why, @"1 missed tick (2026-01-01T01:00:00Z) starts nothing: `missed` is `once`, so only the newest is made up for");
    }

    #[test]
    fn all_makes_up_for_each_up_to_the_cap_and_says_so() {
        let (due, why) = missed(Missed::All, "05:30:00", 3);
        assert_eq!(due, ["03:00", "04:00", "05:00"]);
        insta::assert_snapshot!(why, @"2 missed ticks, from 2026-01-01T01:00:00Z to 2026-01-01T02:00:00Z, start nothing: `missed` is `all`, and at most the newest 3 are made up for");
        assert_eq!(missed(Missed::All, "05:30:00", 5).1, "");
    }

    #[test]
    fn years_of_missed_seconds_are_not_gone_through_one_by_one() {
        let table = Timetable { rule: Rule::Cron("* * * * * *".parse().unwrap()), zone: TimeZone::UTC };
        let (from, to) = ("2016-01-01T00:00:00Z".parse().unwrap(), at("00:00:00"));
        let ticks = table.ticks_between(from, to, Missed::All, 2);
        assert_eq!(ticks.due, [to - 1.second(), to]);
        insta::assert_snapshot!(ticks.left_out.unwrap(), @"more than 10000 missed ticks, from 2016-01-01T00:00:01Z to 2025-12-31T23:59:58Z, start nothing: `missed` is `all`, and at most the newest 2 are made up for");
    }
}
