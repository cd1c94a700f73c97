//! What was measured: rows with a median, a 99th percentile and a best, and beside them how they compare with a fresh cell and
//! with a plain fork, which tells how fast this machine is.

use std::time::Duration;

use crate::measure::{Times, human};
use crate::table::Table;

/// The row of what any fresh process costs on this machine, without a sandbox.
pub(super) const PLAIN_FORK: &str = "plain fork, for the call";

#[derive(Default)]
pub(super) struct Report {
    timed: Vec<(String, Times)>,
    /// What is no time of one thing.
    other: Vec<(String, String)>,
}

impl Report {
    pub(super) fn timed(&mut self, what: &str, times: Times) {
        println!("{what}: {}", short(&times));
        self.timed.push((what.to_owned(), times));
    }

    pub(super) fn other(&mut self, what: &str, value: String) {
        println!("{what}: {value}");
        self.other.push((what.to_owned(), value));
    }

    pub(super) fn print(&self) {
        println!();
        if !self.timed.is_empty() {
            self.print_timed();
            println!();
        }
        let mut table = Table::new(&["what", "value"]);
        for (what, value) in &self.other {
            table.row(vec![what.clone(), value.clone()]);
        }
        table.print();
    }

    fn print_timed(&self) {
        let unit = self.timed[0].1.percentile(50);
        let against = format!("× {}", self.timed[0].0);
        let fork =
            self.timed.iter().find(|(what, _)| what == PLAIN_FORK).map(|(_, times)| times.percentile(50));
        let mut table = Table::new(&["what", "p50", "p99", "best", "of", &against, "× plain fork"]);
        for (what, times) in &self.timed {
            table.row(vec![
                what.clone(),
                human(times.percentile(50)),
                human(times.percentile(99)),
                human(times.percentile(0)),
                times.0.len().to_string(),
                ratio(times.percentile(50), unit),
                fork.map_or_else(|| "–".to_owned(), |fork| ratio(times.percentile(50), fork)),
            ]);
        }
        table.print();
    }
}

fn short(times: &Times) -> String {
    let [half, most, best] = [50, 99, 0].map(|percent| human(times.percentile(percent)));
    format!("p50 {half}, p99 {most}, best {best}, of {}", times.0.len())
}

fn ratio(time: Duration, unit: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() / unit.as_secs_f64())
}
