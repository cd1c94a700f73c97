//! Follows a Run that executes in this process. Each follower reads from its own position when it is ready; nothing is buffered for it,
//! so a slow follower delays nothing.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use model::function::run_options::Record;
use model::run::call::Call;
use model::run::output::OutputChunk;
use model::run::place::RunPlace;
use tokio::sync::futures::Notified;

use super::host::{Inner, RunHost};
use super::writing::{WritingPlaces, Written};

/// So many Calls are read at once, so that the Run does not wait for long.
const AT_ONCE: usize = 200;

/// Someone follows. While someone does, what the Run did is not thrown away at its end.
pub(crate) struct Live(Arc<Inner>);

/// What someone who follows finds.
pub(crate) enum LiveUpdate {
    /// The code has ended, and its record has everything.
    Gone,
    Found {
        printed: Vec<OutputChunk>,
        /// Each as it is by now: begun, or ended.
        calls: Vec<Call>,
        /// What language models wrote.
        written: Vec<Written>,
        /// No more will come.
        over: bool,
    },
}

impl Live {
    pub(crate) fn of(host: &RunHost) -> Live {
        host.0.watchers.fetch_add(1, Ordering::SeqCst);
        Live(Arc::clone(&host.0))
    }

    /// Rung when something was done. Listen before you look.
    pub(crate) fn changed(&self) -> Notified<'_> {
        self.0.bell.notified()
    }

    /// Another number whenever Steps were journaled.
    pub(crate) fn steps(&self) -> u32 {
        self.0.steps.load(Ordering::SeqCst)
    }

    /// What was printed so far; nothing of a Run that is not recorded.
    pub(crate) fn printed(&self) -> Vec<OutputChunk> {
        let collected = self.0.collected_so_far();
        let is_shown = !collected.gone && self.0.run.how.record != Record::None;
        if is_shown { collected.output.clone() } else { Vec::new() }
    }

    /// What was printed after a position, and the Calls about which something was reported after the first `told` reports.
    pub(crate) fn look(&self, place: &mut RunPlace, told: usize, writing: &mut WritingPlaces) -> LiveUpdate {
        let collected = self.0.collected_so_far();
        if collected.gone {
            return LiveUpdate::Gone;
        }
        if self.0.run.how.record == Record::None {
            let (printed, calls, written) = (Vec::new(), Vec::new(), Vec::new());
            return LiveUpdate::Found { printed, calls, written, over: collected.over };
        }
        let printed: Vec<OutputChunk> = place.print(&collected.output).into_iter().collect();
        let calls: Vec<Call> = collected.calls.reported_since(told).take(AT_ONCE).cloned().collect();
        let written = collected.writing.read(writing);
        let over = collected.over && printed.is_empty() && calls.is_empty();
        LiveUpdate::Found { printed, calls, written, over }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.0.watchers.fetch_sub(1, Ordering::SeqCst);
    }
}
