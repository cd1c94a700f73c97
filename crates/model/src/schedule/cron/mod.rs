//! Cron expressions: which moments of the wall clock they mean. Time zones are [`super::timetable`]'s part.
//!
//! Five fields (minute, hour, day of month, month, day of week), or six with seconds first; `*`, lists, ranges, steps
//! and names; weekdays count from Sunday as 0 or 7. As in crontab(5), a day matches if it fits either of the two day
//! fields when neither begins with `*`, and must fit both otherwise. Beyond crontab, `L` is the last day of the month,
//! `FRI#2` the second Friday and `FRI#L` the last. `?`, `W` and years, which other programs know, are refused.

mod days;
mod error;
mod field;
mod search;
mod values;

use std::str::FromStr;

use self::days::Days;
pub use self::error::CronError;
use self::field::{DAY_OF_MONTH, DAY_OF_WEEK, HOUR, MINUTE, MONTH, SECOND};
use self::values::Values;

/// Longer than any expression a person can read.
const MAX_BYTES: usize = 400;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cron {
    seconds: Values,
    minutes: Values,
    hours: Values,
    months: Values,
    days: Days,
}

impl Cron {
    /// Whether it means every hour of a day, so that it follows the time that passes and not the hands of the clock.
    pub fn is_every_hour(&self) -> bool {
        self.hours == Values::all(HOUR.least, HOUR.most)
    }
}

impl FromStr for Cron {
    type Err = CronError;

    fn from_str(text: &str) -> Result<Cron, CronError> {
        let text = text.trim();
        if text.len() > MAX_BYTES {
            return Err(CronError::TooLong { bytes: text.len(), most: MAX_BYTES });
        }
        let cron = fields(expanded(text)?)?;
        if cron.ever_matches() { Ok(cron) } else { Err(CronError::Never { expression: text.to_owned() }) }
    }
}

/// What a name such as `@daily` stands for.
fn expanded(text: &str) -> Result<&str, CronError> {
    if !text.starts_with('@') {
        return Ok(text);
    }
    match text.to_ascii_lowercase().as_str() {
        "@hourly" => Ok("0 * * * *"),
        "@daily" | "@midnight" => Ok("0 0 * * *"),
        "@weekly" => Ok("0 0 * * 0"),
        "@monthly" => Ok("0 0 1 * *"),
        "@yearly" | "@annually" => Ok("0 0 1 1 *"),
        _ => Err(CronError::Name { name: text.to_owned() }),
    }
}

fn fields(text: &str) -> Result<Cron, CronError> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let (second, rest) = match fields.as_slice() {
        [second, rest @ ..] if rest.len() == 5 => (*second, rest),
        rest => ("0", rest),
    };
    let [minute, hour, day_of_month, month, day_of_week] = rest else {
        return Err(CronError::Fields { expression: text.to_owned(), count: fields.len() });
    };
    Ok(Cron {
        seconds: SECOND.values(second)?,
        minutes: MINUTE.values(minute)?,
        hours: HOUR.values(hour)?,
        months: MONTH.values(month)?,
        days: Days::parse(&DAY_OF_MONTH, day_of_month, &DAY_OF_WEEK, day_of_week)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        text.parse::<Cron>().unwrap_err().to_string()
    }

    fn same(a: &str, b: &str) {
        assert_eq!(a.parse::<Cron>().unwrap(), b.parse::<Cron>().unwrap(), "{a} and {b}");
    }

    #[test]
    fn five_fields_run_at_second_zero() {
        same("*/15 9-17 * * 1-5", "0 0,15,30,45 9,10,11,12,13,14,15,16,17 * * MON-FRI");
    }

    #[test]
    fn sunday_is_zero_and_seven_and_a_name() {
        same("0 0 * * 0", "0 0 * * 7");
        same("0 0 * * 0", "0 0 * * Sun");
        same("0 0 * * 6-7", "0 0 * * SAT-SUN");
        same("0 0 * * 0-7", "0 0 * * SUN-SAT");
    }

    #[test]
    fn months_have_names_and_a_start_has_a_step() {
        same("0 0 1 jan-mar,DEC *", "0 0 1 1,2,3,12 *");
        same("5/20 * * * *", "5,25,45 * * * *");
        same("10-30/10 * * * *", "10,20,30 * * * *");
    }

    #[test]
    fn names_of_whole_expressions_are_understood() {
        same("@hourly", "0 * * * *");
        same("@Weekly", "0 0 * * SUN");
        same("@annually", "@yearly");
        insta::assert_snapshot!(refused("@reboot"), @"`@reboot` is not a known shorthand; use `@hourly`, `@daily`, `@weekly`, `@monthly` or `@yearly`");
    }

    #[test]
    fn a_wrong_value_is_refused_with_field_range_and_example() {
        insta::assert_snapshot!(refused("60 * * * *"), @"minute `60` is out of range; allowed is 0 to 59, for example `*/15`");
        insta::assert_snapshot!(refused("0 24 * * *"), @"hour `24` is out of range; allowed is 0 to 23, for example `9-17`");
        insta::assert_snapshot!(refused("0 0 0 * *"), @"day of month `0` is out of range; allowed is 1 to 31 or `L` for the last day, for example `1,15`");
        insta::assert_snapshot!(refused("0 0 1 13 *"), @"month `13` is out of range; allowed is 1 to 12 or JAN to DEC, for example `JAN-MAR`");
        insta::assert_snapshot!(refused("0 0 * * 8"), @"day of week `8` is out of range; allowed is 0 to 7 (0 and 7 are Sunday) or SUN to SAT, for example `MON-FRI`");
        insta::assert_snapshot!(refused("0 0 * * monday"), @"day of week `monday` is not a value; allowed is 0 to 7 (0 and 7 are Sunday) or SUN to SAT, for example `MON-FRI`");
        insta::assert_snapshot!(refused("99999999999 * * * *"), @"minute `99999999999` is out of range; allowed is 0 to 59, for example `*/15`");
    }

    #[test]
    fn a_range_or_step_that_means_something_else_than_it_says_is_refused() {
        insta::assert_snapshot!(refused("0 22-2 * * *"), @"hour `22-2` runs backwards, write `22-23,0-2`; allowed is 0 to 23, for example `9-17`");
        insta::assert_snapshot!(refused("*/90 * * * *"), @"minute `*/90` has a step longer than the field, use an interval such as `every 90m` instead; allowed is 0 to 59, for example `*/15`");
        insta::assert_snapshot!(refused("*/0 * * * *"), @"minute `*/0` has a step of 0; allowed is 0 to 59, for example `*/15`");
        insta::assert_snapshot!(refused("1,,2 * * * *"), @"minute `1,,2` has an empty part; allowed is 0 to 59, for example `*/15`");
        insta::assert_snapshot!(refused("1- * * * *"), @"minute `1-` has an empty part; allowed is 0 to 59, for example `*/15`");
    }

    #[test]
    fn what_only_other_programs_know_is_refused_by_name() {
        insta::assert_snapshot!(refused("0 0 ? * MON"), @"day of month `?` is not supported, write `*`; allowed is 1 to 31 or `L` for the last day, for example `1,15`");
        insta::assert_snapshot!(refused("0 0 15W * *"), @"day of month `15W` is not supported, list the days of the week instead; allowed is 1 to 31 or `L` for the last day, for example `1,15`");
        insta::assert_snapshot!(refused("0 0 * * 5L"), @"day of week `5L` is not supported, write `5#L`; allowed is 0 to 7 (0 and 7 are Sunday) or SUN to SAT, for example `MON-FRI`");
        insta::assert_snapshot!(refused("0 0 * * MON#6"), @"day of week `MON#6` has no such week, write `#1` to `#5`, or `#L` for the last; allowed is 0 to 7 (0 and 7 are Sunday) or SUN to SAT, for example `MON-FRI`");
        assert!(refused("0 L * * *").starts_with("hour `L` is not a value"));
    }

    #[test]
    fn another_number_of_fields_is_refused_with_their_order() {
        insta::assert_snapshot!(refused("* * *"), @"`* * *` has 3 fields; write 5 (minute, hour, day of month, month, day of week) or 6 (with seconds first), for example `30 9 * * MON-FRI`");
        insta::assert_snapshot!(refused(""), @"`` has 0 fields; write 5 (minute, hour, day of month, month, day of week) or 6 (with seconds first), for example `30 9 * * MON-FRI`");
        assert!(refused("0 0 12 * * MON 2027").contains("has 7 fields"));
        insta::assert_snapshot!(refused(&"1,".repeat(300)), @"the expression has 600 bytes; the limit is 400");
    }

    #[test]
    fn a_day_that_no_year_has_is_refused() {
        insta::assert_snapshot!(refused("0 0 30 2 *"), @"`0 0 30 2 *` never happens: none of its months has such a day");
        assert!(refused("0 0 31 4,6,9,11 *").contains("never happens"));
        assert!("0 0 29 2 *".parse::<Cron>().is_ok());
        assert!("0 0 * 2 MON#5".parse::<Cron>().is_ok());
        assert!("0 0 30 2 MON".parse::<Cron>().is_ok());
    }
}
