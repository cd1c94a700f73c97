//! A warm cell between two jobs. It is the cell itself that says it has nothing left to do, so it is still looked at: one
//! that goes on working, or left a process behind, is killed.

use std::io;
use std::time::Duration;

use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{Signal, pidfd_send_signal};
use tokio::task::AbortHandle;
use tokio::time::{Instant, interval_at};

use crate::cell::Cell;
use crate::job::JobLimits;
use crate::limits::{Watch, kill_family};

const LOOK: Duration = Duration::from_millis(250);
/// Going back to waiting takes less than a millisecond.
const CPU: Duration = Duration::from_millis(50);

/// Watches until it is dropped.
pub(super) struct Rest(AbortHandle);

impl Drop for Rest {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Cell {
    /// From now on it may use no more than waiting takes, and no more memory than its last job.
    pub(super) fn rest(&self, limits: JobLimits) -> io::Result<Rest> {
        let (pid, namespaces) = (self.pid, self.zygote.namespaces);
        let pidfd = fcntl_dupfd_cloexec(self.pidfd.get_ref(), 0)?;
        let mut watch = Watch::new(pid, JobLimits { cpu: CPU, processes: 1, ..limits });
        let watching = tokio::spawn(async move {
            let mut looks = interval_at(Instant::now() + LOOK, LOOK);
            loop {
                looks.tick().await;
                if watch.look().is_some() {
                    break;
                }
            }
            if !namespaces {
                kill_family(pid);
            }
            // It may have ended by itself.
            let _ = pidfd_send_signal(&pidfd, Signal::KILL);
        });
        Ok(Rest(watching.abort_handle()))
    }
}
