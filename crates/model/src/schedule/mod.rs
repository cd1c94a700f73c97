//! Schedules: at these times, in this time zone, start a Run. What is stored and how it is written; the moments are
//! [`self::timetable`]'s part.

pub mod cron;
pub mod failing;
pub mod ticks;
pub mod timetable;

use std::fmt;

use jiff::civil::DateTime;
use jiff::{SpanRelativeTo, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use self::cron::CronError;
use self::timetable::{Rule, Timetable, first_moment, zone};
use crate::changeset::check::nearest;
use crate::name::EntryName;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ScheduleContent {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    pub times: Times,
    /// An IANA time zone.
    #[serde(default = "utc")]
    pub zone: String,
    /// The Function or Graph that is started.
    pub target: EntryName,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub input: Map<String, Value>,
    #[serde(default)]
    pub missed: Missed,
    #[serde(default)]
    pub overlap: Overlap,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

fn utc() -> String {
    "UTC".to_owned()
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Times {
    Cron(String),
    EverySeconds(u64),
    At(Timestamp),
}

/// What happens to ticks that passed while no server ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Missed {
    Skip,
    #[default]
    Once,
    All,
}

/// What happens to a tick while the Run of the last one is still running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    Allow,
    #[default]
    Skip,
    Queue,
}

/// A year. What happens less often has a date.
const LONGEST_INTERVAL_SECONDS: u64 = 366 * 86_400;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScheduleError {
    #[error(transparent)]
    Cron(#[from] CronError),
    #[error("`{zone}` is not a time zone; {hint}")]
    Zone { zone: String, hint: String },
    #[error(
        "`{given}` is not an interval; write `every` and whole seconds between 1 second and 366 days, for example `every 90s`, `every 5m` or `every 1h30m`"
    )]
    Interval { given: String },
    #[error(
        "`{given}` is not a time; write it as `2026-12-24T18:00` (in the schedule's time zone) or as `2026-12-24T18:00:00Z`"
    )]
    Time { given: String },
}

impl ScheduleContent {
    /// The moments it means, or why it means none.
    pub fn timetable(&self) -> Result<Timetable, ScheduleError> {
        let zone = known_zone(&self.zone)?;
        let rule = match &self.times {
            Times::Cron(expression) => Rule::Cron(expression.parse()?),
            Times::EverySeconds(seconds) => Rule::Every(interval(*seconds, &format!("every {seconds}s"))?),
            Times::At(at) => Rule::At(*at),
        };
        Ok(Timetable { rule, zone })
    }
}

impl Times {
    /// As a person writes it: a cron expression or its name, `every 5m`, or a time. A time without an offset is meant in
    /// the zone.
    pub fn parse(text: &str, zone: &str) -> Result<Times, ScheduleError> {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("every ") {
            return every(text, rest);
        }
        let time = text.strip_prefix("at ").map(str::trim);
        if time.is_some() || looks_like_a_time(text) {
            return at(time.unwrap_or(text), zone);
        }
        text.parse::<cron::Cron>()?;
        Ok(Times::Cron(text.to_owned()))
    }
}

/// As [`Times::parse`] reads it.
impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Times::Cron(expression) => f.write_str(expression),
            Times::EverySeconds(seconds) => {
                let units = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];
                let (count, unit) = units
                    .into_iter()
                    .find(|(unit, _)| *seconds >= *unit && seconds % unit == 0)
                    .map_or((*seconds, "s"), |(unit, name)| (seconds / unit, name));
                write!(f, "every {count}{unit}")
            }
            Times::At(at) => write!(f, "at {at}"),
        }
    }
}

/// Four digits and a hyphen begin a date and nothing else.
fn looks_like_a_time(text: &str) -> bool {
    text.split_once('-').is_some_and(|(year, _)| year.len() == 4 && year.bytes().all(|b| b.is_ascii_digit()))
}

fn every(text: &str, rest: &str) -> Result<Times, ScheduleError> {
    let failed = || ScheduleError::Interval { given: text.to_owned() };
    let span: jiff::Span = rest.trim().parse().map_err(|_| failed())?;
    let duration = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| failed())?;
    let seconds = u64::try_from(duration.as_secs()).map_err(|_| failed())?;
    if duration.subsec_nanos() != 0 {
        return Err(failed());
    }
    interval(seconds, text)?;
    Ok(Times::EverySeconds(seconds))
}

fn interval(seconds: u64, given: &str) -> Result<i64, ScheduleError> {
    match i64::try_from(seconds) {
        Ok(whole) if (1..=LONGEST_INTERVAL_SECONDS).contains(&seconds) => Ok(whole),
        _ => Err(ScheduleError::Interval { given: given.to_owned() }),
    }
}

fn at(text: &str, zone: &str) -> Result<Times, ScheduleError> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(Times::At(at));
    }
    let zone = known_zone(zone)?;
    let civil = text.parse::<DateTime>().ok();
    let at = civil.and_then(|civil| first_moment(&zone, civil));
    at.map(Times::At).ok_or_else(|| ScheduleError::Time { given: text.to_owned() })
}

fn known_zone(name: &str) -> Result<jiff::tz::TimeZone, ScheduleError> {
    zone(name).ok_or_else(|| {
        let all: Vec<String> =
            jiff::tz::TimeZoneDatabase::bundled().available().map(|name| name.to_string()).collect();
        let hint = match nearest(name, &all) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "use a name such as `Europe/Berlin` or `UTC`".to_owned(),
        };
        ScheduleError::Zone { zone: name.to_owned(), hint }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> Result<Times, String> {
        Times::parse(text, "Europe/Berlin").map_err(|error| error.to_string())
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        assert_eq!(read("every 90s"), Ok(Times::EverySeconds(90)));
        assert_eq!(read("every 5m"), Ok(Times::EverySeconds(300)));
        assert_eq!(read("every 1h30m"), Ok(Times::EverySeconds(5400)));
        assert_eq!(read("every 2 days"), Ok(Times::EverySeconds(172_800)));
        assert_eq!(read(" @daily "), Ok(Times::Cron("@daily".to_owned())));
        assert_eq!(read("0 9 * * 1-5"), Ok(Times::Cron("0 9 * * 1-5".to_owned())));
    }

    #[test]
    fn times_are_shown_as_they_can_be_written() {
        for text in [
            "every 90s",
            "every 5m",
            "every 36h",
            "every 2d",
            "@daily",
            "0 9 * * 1-5",
            "at 2026-12-24T17:00:00Z",
        ] {
            assert_eq!(read(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_time_without_an_offset_is_meant_in_the_zone() {
        let at = |text: &str| Ok(Times::At(text.parse().unwrap()));
        assert_eq!(read("2026-12-24T18:00"), at("2026-12-24T17:00:00Z"));
        assert_eq!(read("at 2026-12-24 18:00:00"), at("2026-12-24T17:00:00Z"));
        assert_eq!(read("2026-12-24T18:00:00Z"), at("2026-12-24T18:00:00Z"));
        // Skipped that night: the first moment after.
        assert_eq!(read("2026-03-29T02:30"), at("2026-03-29T01:00:00Z"));
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_how_to_write_it() {
        insta::assert_snapshot!(read("every 0s").unwrap_err(), @"`every 0s` is not an interval; write `every` and whole seconds between 1 second and 366 days, for example `every 90s`, `every 5m` or `every 1h30m`");
        for text in ["every 1ms", "every day", "every -5m", "every 400d", "every 1mo", "every 5m ago"] {
            assert!(read(text).unwrap_err().contains("is not an interval"), "{text}");
        }
        insta::assert_snapshot!(read("2026-13-01").unwrap_err(), @"`2026-13-01` is not a time; write it as `2026-12-24T18:00` (in the schedule's time zone) or as `2026-12-24T18:00:00Z`");
        assert!(read("0 9 * *").unwrap_err().contains("has 4 fields"));
    }

    #[test]
    fn a_zone_that_is_none_is_refused_with_the_nearest() {
        let mut content: ScheduleContent = serde_json::from_value(
            json!({"times": {"cron": "@daily"}, "target": "f", "zone": "Europe/Berln"}),
        )
        .unwrap();
        insta::assert_snapshot!(content.timetable().unwrap_err(), @"`Europe/Berln` is not a time zone; did you mean `Europe/Berlin`?");
        content.zone = "local".to_owned();
        insta::assert_snapshot!(content.timetable().unwrap_err(), @"`local` is not a time zone; use a name such as `Europe/Berlin` or `UTC`");
    }

    #[test]
    fn a_stored_interval_of_nothing_has_no_timetable() {
        let content: ScheduleContent =
            serde_json::from_value(json!({"times": {"every_seconds": 0}, "target": "f"})).unwrap();
        assert!(content.timetable().is_err());
    }
}
