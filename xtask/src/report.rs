//! Runs the steps of a long task one after another, goes on after a failure, and sums up at the end.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

#[derive(Default)]
pub(crate) struct Report {
    lines: Vec<Line>,
}

struct Line {
    title: String,
    took: Duration,
    error: Option<String>,
}

impl Report {
    /// Runs one step under a heading. A failed step gives nothing back, and is remembered.
    pub(crate) fn step<T>(&mut self, title: &str, work: impl FnOnce() -> Result<T>) -> Option<T> {
        // On the same stream as the output of nearly everything that runs under it.
        eprintln!("\n──── {title}");
        let begun = Instant::now();
        let result = work();
        let took = begun.elapsed();
        let (value, error) = match result {
            Ok(value) => (Some(value), None),
            Err(error) => (None, Some(format!("{error:#}"))),
        };
        if let Some(error) = &error {
            eprintln!("error: {error}");
        }
        self.lines.push(Line { title: title.to_owned(), took, error });
        value
    }

    /// Prints one line per step; an error if any of them failed.
    pub(crate) fn finish(self) -> Result<()> {
        println!("\n──── summary\n{}", self.summary());
        let failed = self.lines.iter().filter(|line| line.error.is_some()).count();
        ensure!(failed == 0, "{failed} of {} steps failed", self.lines.len());
        Ok(())
    }

    fn summary(&self) -> String {
        let width = self.lines.iter().map(|line| line.title.chars().count()).max().unwrap_or(0);
        let lines = self.lines.iter().map(|line| line.shown(width));
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl Line {
    fn shown(&self, width: usize) -> String {
        let outcome = if self.error.is_some() { "FAILED" } else { "passed" };
        let seconds = self.took.as_secs_f64();
        let error = self.error.as_deref().map_or(String::new(), |error| format!("  {error}"));
        format!("{outcome}  {title:width$}  {seconds:6.1} s{error}", title = self.title)
    }
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn steps_after_a_failed_one_still_run_and_the_whole_fails() {
        let mut report = Report::default();
        assert_eq!(report.step("first", || Ok(1)), Some(1));
        assert_eq!(report.step("second", || -> Result<i32> { bail!("install `x`") }), None);
        assert_eq!(report.step("third", || Ok(3)), Some(3));
        let summary = report.summary();
        let lines: Vec<&str> = summary.lines().collect();
        assert!(lines[0].starts_with("passed  first "), "{summary}");
        assert!(lines[1].starts_with("FAILED  second") && lines[1].ends_with("install `x`"), "{summary}");
        assert!(lines[2].starts_with("passed  third "), "{summary}");
        assert_eq!(report.finish().unwrap_err().to_string(), "1 of 3 steps failed");
    }

    #[test]
    fn a_report_without_failures_is_a_success() {
        let mut report = Report::default();
        report.step("only", || Ok(()));
        assert!(report.finish().is_ok());
    }
}
