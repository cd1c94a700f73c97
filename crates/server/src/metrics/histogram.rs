//! Times, counted by how long they were.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::text::Text;

/// From a run that does next to nothing to one that takes an hour, in microseconds, with what Prometheus calls them.
const BOUNDS: [(u64, &str); 17] = [
    (1_000, "0.001"),
    (2_500, "0.0025"),
    (5_000, "0.005"),
    (10_000, "0.01"),
    (25_000, "0.025"),
    (50_000, "0.05"),
    (100_000, "0.1"),
    (250_000, "0.25"),
    (500_000, "0.5"),
    (1_000_000, "1"),
    (2_500_000, "2.5"),
    (5_000_000, "5"),
    (10_000_000, "10"),
    (30_000_000, "30"),
    (60_000_000, "60"),
    (600_000_000, "600"),
    (3_600_000_000, "3600"),
];

#[derive(Debug, Default)]
pub(crate) struct Histogram {
    /// How many were as long as each bound and longer than the one before; the last are longer than all.
    counts: [AtomicU64; BOUNDS.len() + 1],
    sum_us: AtomicU64,
}

impl Histogram {
    pub(crate) fn observe(&self, time: Duration) {
        let us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let place = BOUNDS.partition_point(|(bound, _)| *bound < us);
        self.counts[place].fetch_add(1, Ordering::Relaxed);
        self.sum_us.fetch_add(us, Ordering::Relaxed);
    }

    pub(super) fn write_to(&self, text: &mut Text, name: &str, labels: &[(&str, &str)]) {
        let bucket = format!("{name}_bucket");
        let names = BOUNDS.iter().map(|(_, name)| *name).chain(["+Inf"]);
        let mut count = 0;
        for (counter, bound) in self.counts.iter().zip(names) {
            count += counter.load(Ordering::Relaxed);
            text.count(&bucket, &[labels, &[("le", bound)]].concat(), count);
        }
        let seconds = Duration::from_micros(self.sum_us.load(Ordering::Relaxed)).as_secs_f64();
        text.line(&format!("{name}_sum"), labels, seconds);
        text.count(&format!("{name}_count"), labels, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_counted_in_every_bound_that_it_does_not_exceed() {
        let histogram = Histogram::default();
        for us in [0, 1_000, 1_001, 70_000_000, u64::MAX / 2_000_000] {
            histogram.observe(Duration::from_micros(us));
        }
        let mut text = Text::default();
        histogram.write_to(&mut text, "t", &[("a", "b")]);
        let text = text.into_string();
        assert!(text.contains("t_bucket{a=\"b\",le=\"0.001\"} 2\n"), "{text}");
        assert!(text.contains("t_bucket{a=\"b\",le=\"0.0025\"} 3\n"), "{text}");
        assert!(text.contains("t_bucket{a=\"b\",le=\"60\"} 3\n"), "{text}");
        assert!(text.contains("t_bucket{a=\"b\",le=\"600\"} 4\n"), "{text}");
        assert!(text.contains("t_bucket{a=\"b\",le=\"+Inf\"} 5\n"), "{text}");
        assert!(text.ends_with("t_count{a=\"b\"} 5\n"), "{text}");
    }
}
