//! The two day fields, which are one rule.

use jiff::civil::Date;

use super::error::CronError;
use super::field::Field;
use super::values::Values;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Days {
    of_month: Values,
    last_of_month: bool,
    /// From Sunday as 0.
    of_week: Values,
    /// Which weeks of the month, from 1, by day of the week.
    nth_of_week: [Values; 7],
    last_of_week: Values,
    /// Whether a day must fit both fields: as in crontab(5), when one of them begins with `*`.
    both: bool,
}

impl Days {
    pub(super) fn parse(
        month_field: &Field,
        of_month: &str,
        week_field: &Field,
        of_week: &str,
    ) -> Result<Days, CronError> {
        let both = of_month.starts_with('*') || of_week.starts_with('*');
        let mut days = Days { both, ..Days::default() };
        for item in of_month.split(',') {
            days.add_of_month(month_field, of_month, item)?;
        }
        for item in of_week.split(',') {
            days.add_of_week(week_field, of_week, item)?;
        }
        if days.of_week.remove(7) {
            days.of_week.add(0);
        }
        Ok(days)
    }

    fn add_of_month(&mut self, field: &Field, whole: &str, item: &str) -> Result<(), CronError> {
        if item.eq_ignore_ascii_case("L") {
            self.last_of_month = true;
        } else {
            self.of_month.extend(field.item(whole, item)?);
        }
        Ok(())
    }

    fn add_of_week(&mut self, field: &Field, whole: &str, item: &str) -> Result<(), CronError> {
        let Some((day, week)) = item.split_once('#') else {
            self.of_week.extend(field.item(whole, item)?);
            return Ok(());
        };
        let day = field.value(whole, day)? % 7;
        match week.parse::<u8>() {
            Ok(week @ 1..=5) => self.nth_of_week[usize::from(day)].add(week),
            _ if week.eq_ignore_ascii_case("L") => self.last_of_week.add(day),
            _ => {
                return Err(field.error(item, "has no such week, write `#1` to `#5`, or `#L` for the last"));
            }
        }
        Ok(())
    }

    pub(super) fn has(&self, date: Date) -> bool {
        let (month, week) = (self.fits_month(date), self.fits_week(date));
        if self.both { month && week } else { month || week }
    }

    fn fits_month(&self, date: Date) -> bool {
        self.of_month.has(date.day() as u8) || self.last_of_month && date.day() == date.days_in_month()
    }

    fn fits_week(&self, date: Date) -> bool {
        let day = date.weekday().to_sunday_zero_offset() as u8;
        let week = (date.day() - 1) / 7 + 1;
        self.of_week.has(day)
            || self.nth_of_week[usize::from(day)].has(week as u8)
            || self.last_of_week.has(day) && date.day() + 7 > date.days_in_month()
    }
}
