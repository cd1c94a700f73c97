//! `selfmade stop`: tells the server to stop, waits until its runs have ended and it is gone, and ends it if that takes too long.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde_json::json;

use super::find;
use crate::error::{Error, Exit};
use crate::session::Session;

/// What a server has beside the time for its runs: to answer requests, end cells and write what it knows.
const BESIDE: Duration = Duration::from_secs(30);

/// Stop the server: it takes no more runs and waits for the running ones
///
/// They have as long as `--drain` of the server says, 30 seconds by default. A server that is still there 30 seconds
/// after that is killed; everything acknowledged is stored.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade stop\n  selfmade stop --timeout 5")]
pub(crate) struct Arguments {
    /// Kill it if it has not stopped after this many seconds [default: its drain time plus 30]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u32>,
}

pub(crate) async fn run(session: &Session, arguments: Arguments) -> Result<Exit, Error> {
    let Some(running) = find(session)? else {
        session.output.answer(&json!({ "stopped": false, "killed": false }), |_| String::new())?;
        session.output.note("no server of this brain is running");
        return Ok(Exit::Done);
    };
    let usual = Duration::from_secs(running.drain_seconds) + BESIDE;
    let time = arguments.timeout.map_or(usual, |seconds| Duration::from_secs(seconds.into()));
    let failed = |source| Error::Signal { pid: running.pid, source };
    let process = Process::open(running.pid).map_err(failed)?;
    // Its number could have become another's before the process was opened; not if the server is still there now.
    if find(session)?.is_some_and(|found| found.pid == running.pid) {
        process.signal(Signal::TERM).map_err(failed)?;
        session.output.note(format!(
            "asked process {} to stop; waiting up to {} s",
            running.pid,
            time.as_secs()
        ));
    }
    let killed = !process.ended(time).await;
    if killed {
        process.signal(Signal::KILL).map_err(failed)?;
        process.ended(BESIDE).await;
        session.output.warning(format!("process {} did not stop in time and was killed", running.pid));
    }
    let document = json!({ "stopped": true, "killed": killed, "pid": running.pid });
    session.output.answer(&document, |_| String::new())?;
    session.output.note("stopped");
    Ok(Exit::Done)
}

/// A process that is no child of ours, held so that its number cannot become another's.
#[derive(Clone)]
struct Process(Arc<OwnedFd>);

impl Process {
    fn open(pid: u32) -> std::io::Result<Process> {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| std::io::Error::other("this is not a process id"))?;
        Ok(Process(Arc::new(pidfd_open(pid, PidfdFlags::empty())?)))
    }

    /// One that has ended meanwhile need not be told.
    fn signal(&self, signal: Signal) -> std::io::Result<()> {
        match pidfd_send_signal(&self.0, signal) {
            Err(Errno::SRCH) => Ok(()),
            sent => Ok(sent?),
        }
    }

    /// Whether it ended within this time.
    async fn ended(&self, time: Duration) -> bool {
        let process = Arc::clone(&self.0);
        let waiting = tokio::task::spawn_blocking(move || has_ended(&process, time));
        waiting.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
    }
}

/// The descriptor of a process becomes readable when the process ends.
fn has_ended(process: &OwnedFd, time: Duration) -> bool {
    let time = Timespec::try_from(time).ok();
    loop {
        match poll(&mut [PollFd::new(process, PollFlags::IN)], time.as_ref()) {
            Ok(count) => return count > 0,
            Err(Errno::INTR) => {}
            // There is nothing to wait for.
            Err(_) => return false,
        }
    }
}
