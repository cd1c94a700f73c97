//! Times as people read them on a terminal; everywhere else they are exact.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Beyond this a date says more than a count.
const LONGEST: i64 = 30 * DAY;

pub(crate) fn exact(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

pub(crate) fn relative(time: Timestamp, now: Timestamp) -> String {
    let seconds = now.as_second() - time.as_second();
    let ago = |count: i64, unit: &str| {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {unit}{plural} ago")
    };
    match seconds {
        ..0 => exact(time),
        0..10 => "just now".to_owned(),
        10..MINUTE => ago(seconds, "second"),
        MINUTE..HOUR => ago(seconds / MINUTE, "minute"),
        HOUR..DAY => ago(seconds / HOUR, "hour"),
        DAY..LONGEST => ago(seconds / DAY, "day"),
        _ => time.strftime("%Y-%m-%d").to_string(),
    }
}

/// How long something took, to two or three digits.
pub(crate) fn took(micros: u64) -> String {
    let (millis, seconds) = (micros / 1_000, micros / 1_000_000);
    match micros {
        ..1_000 => format!("{micros} µs"),
        1_000..10_000 => format!("{:.1} ms", micros as f64 / 1e3),
        10_000..1_000_000 => format!("{millis} ms"),
        1_000_000..60_000_000 => format!("{:.1} s", micros as f64 / 1e6),
        60_000_000..3_600_000_000 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds / 60 % 60),
    }
}

/// A day or a moment as people write them. Days are days of universal time, so that they begin at the same moment
/// everywhere.
pub(crate) fn written(text: &str) -> Option<Timestamp> {
    if let Ok(date) = text.parse::<Date>() {
        return Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp());
    }
    text.parse().ok()
}

/// A day, a moment, or so long ago: `2h`, `7d`.
pub(crate) fn past(text: &str, now: Timestamp) -> Option<Timestamp> {
    if let Some(time) = written(text) {
        return Some(time);
    }
    let span: Span = text.parse().ok()?;
    Some(now.to_zoned(TimeZone::UTC).checked_sub(span).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_reported_in_the_unit_that_fits() {
        let told = [640, 1_250, 9_990, 340_000, 2_440_000, 185_000_000, 7_500_000_000].map(took);
        assert_eq!(told, ["640 µs", "1.2 ms", "10.0 ms", "340 ms", "2.4 s", "3 min 5 s", "2 h 5 min"]);
    }

    #[test]
    fn a_time_that_is_over_is_a_day_a_moment_or_so_long_ago() {
        let now: Timestamp = "2026-03-31T12:00:00Z".parse().unwrap();
        let then = |text| past(text, now).map(|time| time.to_string());
        assert_eq!(then("2h").as_deref(), Some("2026-03-31T10:00:00Z"));
        assert_eq!(then("1 month").as_deref(), Some("2026-02-28T12:00:00Z"));
        assert_eq!(then("2026-01-31").as_deref(), Some("2026-01-31T00:00:00Z"));
        assert_eq!(then("2026-01-31T01:02:03Z").as_deref(), Some("2026-01-31T01:02:03Z"));
        assert_eq!(then("yesterday"), None);
    }

    #[test]
    fn the_past_is_reported_in_the_largest_unit_that_fits() {
        let now = Timestamp::from_second(100 * DAY).unwrap();
        let ago = |seconds| relative(Timestamp::from_second(100 * DAY - seconds).unwrap(), now);
        assert_eq!(ago(3), "just now");
        assert_eq!(ago(59), "59 seconds ago");
        assert_eq!(ago(60), "1 minute ago");
        assert_eq!(ago(2 * HOUR + 5), "2 hours ago");
        assert_eq!(ago(DAY), "1 day ago");
        assert_eq!(ago(31 * DAY), "1970-03-11");
        assert_eq!(ago(-5), "1970-04-11T00:00:05Z");
    }
}
