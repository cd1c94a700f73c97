//! Timetables: the moments at which a Schedule ticks, worked out from its times and its time zone.
//!
//! Over changes of the clock: a time that a day skips ticks once, at the first moment after the gap; a time that a day
//! has twice ticks once, at the first of them; an expression for every hour ticks whenever the clock shows what it
//! says, so that it follows the time that passes.
//!
//! Zones come from the database inside the binary, never from the machine: all servers tick at the same moments.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, ToSpan};

use super::cron::Cron;

#[derive(Clone, Debug)]
pub struct Timetable {
    pub(crate) rule: Rule,
    pub(crate) zone: TimeZone,
}

#[derive(Clone, Debug)]
pub(crate) enum Rule {
    Cron(Cron),
    /// At the multiples of so many seconds since 1970 began, so that nothing has to be remembered.
    Every(i64),
    At(Timestamp),
}

impl Timetable {
    /// The first tick after a moment.
    pub fn next_after(&self, now: Timestamp) -> Option<Timestamp> {
        match &self.rule {
            Rule::Cron(cron) if cron.is_every_hour() => self.next_shown(cron, now),
            Rule::Cron(cron) => self.next_civil(cron, now),
            Rule::Every(seconds) => {
                let passed = now.as_nanosecond().div_euclid(1_000_000_000) as i64;
                Timestamp::from_second((passed.div_euclid(*seconds) + 1).checked_mul(*seconds)?).ok()
            }
            Rule::At(at) => (*at > now).then_some(*at),
        }
    }

    /// The next ticks, as many as there are of so many.
    pub fn next_times(&self, now: Timestamp, count: usize) -> Vec<Timestamp> {
        self.after(now).take(count).collect()
    }

    pub(crate) fn after(&self, now: Timestamp) -> impl Iterator<Item = Timestamp> {
        std::iter::successors(self.next_after(now), |last| self.next_after(*last))
    }

    /// Every moment of the wall clock happens once a day, so ticks are sought there.
    fn next_civil(&self, cron: &Cron, now: Timestamp) -> Option<Timestamp> {
        let mut from = self.zone.to_datetime(now);
        loop {
            let civil = cron.at_or_after(from)?;
            let at = first_moment(&self.zone, civil)?;
            if at > now {
                return Some(at);
            }
            from = civil.checked_add(1.second()).ok()?;
        }
    }

    /// Whenever the clock shows what the expression says, so ticks are sought from one change of the clock to the next.
    fn next_shown(&self, cron: &Cron, now: Timestamp) -> Option<Timestamp> {
        let mut from = now.checked_add(1.nanosecond()).ok()?;
        loop {
            let offset = self.zone.to_offset(from);
            let at = offset.to_timestamp(cron.at_or_after(offset.to_datetime(from))?).ok()?;
            let mut changes = self.zone.following(from).map(|change| change.timestamp());
            match changes.find(|change| *change > from) {
                Some(change) if change <= at => from = change,
                _ => return Some(at),
            }
        }
    }
}

/// The zone of a name, from the database inside the binary.
pub fn zone(name: &str) -> Option<TimeZone> {
    TimeZoneDatabase::bundled().get(name).ok()
}

/// The first moment at which the clock of a zone shows a time, or has passed it if a change of the clock skips it.
pub(crate) fn first_moment(zone: &TimeZone, civil: DateTime) -> Option<Timestamp> {
    match zone.to_ambiguous_timestamp(civil).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(civil).ok(),
        AmbiguousOffset::Fold { before, .. } => before.to_timestamp(civil).ok(),
        AmbiguousOffset::Gap { after, .. } => {
            // Read by the clock after the change, the time lies before the change.
            let before_change = after.to_timestamp(civil).ok()?;
            zone.following(before_change)
                .find(|change| change.timestamp() > before_change && change.offset() == after)
                .map(|change| change.timestamp())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(expression: &str, zone_name: &str, from: &str, count: usize) -> Vec<String> {
        let rule = Rule::Cron(expression.parse().unwrap());
        let table = Timetable { rule, zone: zone(zone_name).unwrap() };
        let zone = table.zone.clone();
        let from = first_moment(&zone, from.parse().unwrap()).unwrap();
        let shown = |at: Timestamp| at.to_zoned(zone.clone()).strftime("%d %H:%M:%S%:z").to_string();
        table.next_times(from, count).into_iter().map(shown).collect()
    }

    #[test]
    fn a_time_that_is_skipped_ticks_once_right_after_the_gap() {
        let days = ticks("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00", 3);
        assert_eq!(days, ["28 02:30:00+01:00", "29 03:00:00+02:00", "30 02:30:00+02:00"]);
        let quarters = ticks("*/15 2 * * *", "Europe/Berlin", "2026-03-29T00:00", 2);
        assert_eq!(quarters, ["29 03:00:00+02:00", "30 02:00:00+02:00"]);
    }

    #[test]
    fn a_time_that_comes_twice_ticks_at_the_first() {
        let days = ticks("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00", 2);
        assert_eq!(days, ["25 02:30:00+02:00", "26 02:30:00+01:00"]);
    }

    #[test]
    fn an_expression_for_every_hour_follows_the_time_that_passes() {
        let spring = ticks("30 * * * *", "Europe/Berlin", "2026-03-29T01:00", 3);
        assert_eq!(spring, ["29 01:30:00+01:00", "29 03:30:00+02:00", "29 04:30:00+02:00"]);
        let autumn = ticks("30 * * * *", "Europe/Berlin", "2026-10-25T01:00", 4);
        assert_eq!(
            autumn,
            ["25 01:30:00+02:00", "25 02:30:00+02:00", "25 02:30:00+01:00", "25 03:30:00+01:00"]
        );
    }

    #[test]
    fn a_zone_may_change_its_clock_by_half_an_hour_or_skip_a_day() {
        let half = ticks("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00", 1);
        assert_eq!(half, ["04 02:30:00+11:00"]);
        let day = ticks("0 9 * * *", "Pacific/Apia", "2011-12-29T00:00", 3);
        assert_eq!(day, ["29 09:00:00-10:00", "31 00:00:00+14:00", "31 09:00:00+14:00"]);
    }

    #[test]
    fn intervals_tick_at_multiples_of_themselves() {
        let table = Timetable { rule: Rule::Every(90), zone: TimeZone::UTC };
        let from = "2026-01-01T00:00:00.25Z".parse().unwrap();
        let shown: Vec<String> = table.next_times(from, 2).iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["2026-01-01T00:01:30Z", "2026-01-01T00:03:00Z"]);
        let before: Timestamp = "1969-12-31T23:59:59.5Z".parse().unwrap();
        assert_eq!(table.next_after(before), Some(Timestamp::UNIX_EPOCH));
    }

    #[test]
    fn a_one_shot_ticks_once() {
        let at: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let table = Timetable { rule: Rule::At(at), zone: TimeZone::UTC };
        assert_eq!(table.next_times(Timestamp::UNIX_EPOCH, 5), [at]);
        assert_eq!(table.next_after(at), None);
    }
}
