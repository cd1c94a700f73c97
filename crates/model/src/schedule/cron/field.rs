//! One field of an expression: lists of values, ranges and steps.

use super::error::CronError;
use super::values::Values;

pub(super) struct Field {
    name: &'static str,
    pub(super) least: u8,
    pub(super) most: u8,
    /// Names of the values from `least` on.
    names: &'static [&'static str],
    allowed: &'static str,
    example: &'static str,
    /// The unit of the interval to suggest for a step that is too long.
    unit: &'static str,
}

pub(super) const SECOND: Field =
    Field { name: "second", least: 0, most: 59, names: &[], allowed: "0 to 59", example: "*/10", unit: "s" };
pub(super) const MINUTE: Field = Field { name: "minute", example: "*/15", unit: "m", ..SECOND };
pub(super) const HOUR: Field =
    Field { name: "hour", most: 23, allowed: "0 to 23", example: "9-17", unit: "h", ..SECOND };
pub(super) const DAY_OF_MONTH: Field = Field {
    name: "day of month",
    least: 1,
    most: 31,
    allowed: "1 to 31 or `L` for the last day",
    example: "1,15",
    unit: "d",
    ..SECOND
};
pub(super) const MONTH: Field = Field {
    name: "month",
    least: 1,
    most: 12,
    names: &["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
    allowed: "1 to 12 or JAN to DEC",
    example: "JAN-MAR",
    unit: "d",
};
pub(super) const DAY_OF_WEEK: Field = Field {
    name: "day of week",
    least: 0,
    most: 7,
    names: &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"],
    allowed: "0 to 7 (0 and 7 are Sunday) or SUN to SAT",
    example: "MON-FRI",
    unit: "d",
};

impl Field {
    /// The values of a whole field.
    pub(super) fn values(&self, text: &str) -> Result<Values, CronError> {
        let mut values = Values::default();
        for item in text.split(',') {
            values.extend(self.item(text, item)?);
        }
        Ok(values)
    }

    /// The values of one item of a list; `whole` is the field it stands in.
    pub(super) fn item(&self, whole: &str, item: &str) -> Result<Values, CronError> {
        let (range, step) = match item.split_once('/') {
            Some((range, step)) => (range, Some(self.step(item, step)?)),
            None => (item, None),
        };
        let (first, last) = match range.split_once('-') {
            _ if range == "*" => (self.least, self.most),
            Some((first, last)) => self.range(whole, item, first, last)?,
            None if step.is_some() => (self.value(whole, range)?, self.most),
            None => {
                let value = self.value(whole, range)?;
                (value, value)
            }
        };
        Ok(Values::stepped(first, last, step.unwrap_or(1)))
    }

    fn step(&self, item: &str, step: &str) -> Result<u8, CronError> {
        let count = self.most - self.least + 1;
        match step.parse::<u64>() {
            Ok(0) => Err(self.error(item, "has a step of 0")),
            Ok(step) if step >= u64::from(count) => Err(self.error(
                item,
                format!(
                    "has a step longer than the field, use an interval such as `every {step}{}` instead",
                    self.unit
                ),
            )),
            Ok(step) => Ok(step as u8),
            Err(_) => Err(self.error(item, "has a step that is not a number")),
        }
    }

    fn range(&self, whole: &str, item: &str, first: &str, last: &str) -> Result<(u8, u8), CronError> {
        let (from, mut to) = (self.value(whole, first)?, self.value(whole, last)?);
        // `SAT-SUN` ends with the Sunday after.
        if self.most == 7 && to == 0 && from > 0 {
            to = 7;
        }
        if from > to {
            let problem = format!("runs backwards, write `{first}-{},{}-{last}`", self.last(), self.least);
            return Err(self.error(item, problem));
        }
        Ok((from, to))
    }

    /// The last value in a range that is turned around: Saturday, not the second number of Sunday.
    fn last(&self) -> u8 {
        if self.most == 7 { 6 } else { self.most }
    }

    pub(super) fn value(&self, whole: &str, text: &str) -> Result<u8, CronError> {
        if text.is_empty() {
            return Err(self.error(whole, "has an empty part"));
        }
        if let Some(index) = self.names.iter().position(|name| name.eq_ignore_ascii_case(text)) {
            return Ok(self.least + index as u8);
        }
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.error(text, self.foreign(text)));
        }
        // More digits than a number holds are out of range too.
        match text.parse::<u8>() {
            Ok(value) if (self.least..=self.most).contains(&value) => Ok(value),
            _ => Err(self.error(text, "is out of range")),
        }
    }

    /// What other programs write there.
    fn foreign(&self, text: &str) -> String {
        let upper = text.to_ascii_uppercase();
        match upper.strip_suffix('L') {
            _ if upper == "?" => "is not supported, write `*`".to_owned(),
            Some(day) if self.name == DAY_OF_WEEK.name && !day.is_empty() => {
                format!("is not supported, write `{day}#L`")
            }
            _ if self.name == DAY_OF_MONTH.name && upper.ends_with('W') => {
                "is not supported, list the days of the week instead".to_owned()
            }
            _ => "is not a value".to_owned(),
        }
    }

    pub(super) fn error(&self, given: &str, problem: impl Into<String>) -> CronError {
        CronError::Field {
            field: self.name,
            given: given.to_owned(),
            problem: problem.into(),
            allowed: self.allowed,
            example: self.example,
        }
    }
}
