//! Looking for the next moment of the wall clock that an expression means.

use jiff::civil::{Date, DateTime, Time, date};

use super::Cron;
use super::field::{HOUR, MINUTE, MONTH, SECOND};

impl Cron {
    /// The first moment that it means at or after one; nothing if the calendar ends before.
    pub(crate) fn at_or_after(&self, from: DateTime) -> Option<DateTime> {
        let day = self.day_between(from.date(), Date::MAX)?;
        if day == from.date()
            && let Some(time) = self.time_at_or_after(from.time())
        {
            return Some(day.to_datetime(time));
        }
        let day = if day == from.date() { self.day_between(day.tomorrow().ok()?, Date::MAX)? } else { day };
        Some(day.to_datetime(self.time_at_or_after(Time::midnight())?))
    }

    /// Whether it means any moment at all. The calendar repeats after 400 years.
    pub(super) fn ever_matches(&self) -> bool {
        self.day_between(date(2000, 1, 1), date(2399, 12, 31)).is_some()
    }

    fn day_between(&self, first: Date, last: Date) -> Option<Date> {
        let mut day = first;
        while day <= last {
            match self.months.at_or_after(day.month() as u8) {
                Some(month) if month == day.month() as u8 => {
                    if self.days.has(day) {
                        return Some(day);
                    }
                    day = day.tomorrow().ok()?;
                }
                Some(month) => day = date(day.year(), month as i8, 1),
                None => {
                    let month = self.months.at_or_after(MONTH.least)?;
                    day = Date::new(day.year() + 1, month as i8, 1).ok()?;
                }
            }
        }
        None
    }

    fn time_at_or_after(&self, from: Time) -> Option<Time> {
        let (hour, minute, second) = (from.hour() as u8, from.minute() as u8, from.second() as u8);
        // A moment within a second is after that second's beginning.
        let second = second + u8::from(from.subsec_nanosecond() > 0);
        let first = || (self.minutes.at_or_after(MINUTE.least), self.seconds.at_or_after(SECOND.least));
        if self.hours.has(hour) {
            if self.minutes.has(minute)
                && let Some(second) = self.seconds.at_or_after(second)
            {
                return time(hour, minute, second);
            }
            if let Some(minute) = self.minutes.at_or_after(minute + 1) {
                return time(hour, minute, first().1?);
            }
        }
        let hour = self.hours.at_or_after(hour + 1)?;
        debug_assert!(hour <= HOUR.most);
        time(hour, first().0?, first().1?)
    }
}

fn time(hour: u8, minute: u8, second: u8) -> Option<Time> {
    Time::new(hour as i8, minute as i8, second as i8, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(expression: &str, from: &str) -> String {
        let cron: Cron = expression.parse().unwrap();
        cron.at_or_after(from.parse().unwrap()).map_or_else(|| "never".to_owned(), |at| at.to_string())
    }

    #[test]
    fn a_moment_that_fits_is_its_own_answer() {
        assert_eq!(next("30 9 * * *", "2026-03-01T09:30:00"), "2026-03-01T09:30:00");
        assert_eq!(next("30 9 * * *", "2026-03-01T09:30:00.5"), "2026-03-02T09:30:00");
        assert_eq!(next("59 59 23 * * *", "2026-12-31T23:59:59.1"), "2027-01-01T23:59:59");
    }

    #[test]
    fn a_day_fits_either_field_when_both_are_restricted() {
        // The 13th or a Friday; 6 March 2026 is a Friday.
        assert_eq!(next("0 0 13 * FRI", "2026-03-01T00:00:00"), "2026-03-06T00:00:00");
        assert_eq!(next("0 0 14 * FRI", "2026-03-14T00:00:00"), "2026-03-14T00:00:00");
    }

    #[test]
    fn a_day_fits_both_fields_when_one_begins_with_a_star() {
        // Every second day from the 1st, and a Monday: the 9th is the first odd Monday.
        assert_eq!(next("0 0 */2 * MON", "2026-03-01T00:00:00"), "2026-03-09T00:00:00");
    }

    #[test]
    fn the_last_day_and_the_nth_weekday_are_found() {
        assert_eq!(next("0 0 L * *", "2028-02-01T00:00:00"), "2028-02-29T00:00:00");
        assert_eq!(next("0 0 * * FRI#2", "2026-03-07T00:00:00"), "2026-03-13T00:00:00");
        assert_eq!(next("0 0 * * 5#L", "2026-03-07T00:00:00"), "2026-03-27T00:00:00");
        assert_eq!(next("0 0 * 2 MON#5", "2026-01-01T00:00:00"), "2044-02-29T00:00:00");
    }

    #[test]
    fn a_leap_day_may_be_eight_years_away() {
        assert_eq!(next("0 0 29 2 *", "2096-03-01T00:00:00"), "2104-02-29T00:00:00");
    }

    #[test]
    fn the_calendar_ends() {
        assert_eq!(next("0 0 29 2 *", "9999-01-01T00:00:00"), "never");
    }
}
