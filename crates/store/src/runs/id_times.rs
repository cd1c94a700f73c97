//! Ids sort by their creation time, so a time range is an id range: no index by time is needed.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

/// An id is made shortly before or after the time of the record it names is taken. Whoever asks for a range of time
/// looks at the ids of a slightly larger one, and then at the times themselves.
pub(crate) const SLACK: SignedDuration = SignedDuration::from_secs(10);

/// No id made at this time or later is below it.
pub(crate) fn first_id_at(time: Timestamp) -> Uuid {
    let millis = u64::try_from(time.as_millisecond()).unwrap_or_default();
    Uuid::from_u128(u128::from(millis) << 80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_made_at_a_time_or_later_are_not_below_the_first() {
        let at = |millis: u64| Timestamp::from_millisecond(millis as i64).unwrap();
        let id =
            |millis, chance| uuid::Builder::from_unix_timestamp_millis(millis, &[chance; 10]).into_uuid();
        let now = 1_700_000_000_123;
        assert!(id(now, 0) >= first_id_at(at(now)) && id(now, 255) >= first_id_at(at(now)));
        assert!(id(now - 1, 255) < first_id_at(at(now)));
        assert_eq!(first_id_at(Timestamp::MIN), Uuid::nil());
    }
}
