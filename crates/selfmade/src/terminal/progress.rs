//! Shows that something takes a while: a spinner on standard error, if a person is looking at it.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::output::Output;

/// Goes away when it is dropped.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn start(output: &Output, what: impl Into<String>) -> Progress {
        if !output.talks() || !std::io::stderr().is_terminal() {
            return Progress(ProgressBar::hidden());
        }
        let bar = ProgressBar::new_spinner().with_message(what.into());
        let style = ProgressStyle::with_template("{spinner:.cyan} {msg} {elapsed:.dim}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(100));
        Progress(bar)
    }

    pub(crate) fn say(&self, what: impl Into<String>) {
        self.0.set_message(what.into());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
