//! Timing, and the few numbers that say what was timed.

use std::path::Path;
use std::time::{Duration, Instant};

/// How long each of a number of repetitions took.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times(pub(crate) Vec<Duration>);

impl Times {
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort();
        let place = (sorted.len().saturating_sub(1) * percent).div_ceil(100);
        sorted.get(place).copied().unwrap_or_default()
    }
}

/// What one 4 KiB write and flush costs here, at the median: the floor of every durable commit.
pub(crate) fn flush_time(folder: &Path) -> std::io::Result<Duration> {
    use std::io::{Seek, Write};
    let mut file = tempfile::tempfile_in(folder)?;
    let mut times = Times::default();
    for _ in 0..50 {
        let start = Instant::now();
        file.rewind()?;
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
        times.0.push(start.elapsed());
    }
    Ok(times.percentile(50))
}

pub(crate) fn human(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    if micros < 1_000.0 {
        format!("{micros:.0} µs")
    } else if micros < 1_000_000.0 {
        format!("{:.2} ms", micros / 1e3)
    } else {
        format!("{:.2} s", micros / 1e6)
    }
}
