//! Times as people read them on a terminal; everywhere else they are exact.

use jiff::Timestamp;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_past_is_told_in_the_largest_unit_that_fits() {
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
