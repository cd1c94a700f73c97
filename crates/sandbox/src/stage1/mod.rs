//! Stage 1: a fresh, single-threaded process of our own binary that builds the sandbox around itself and then becomes the
//! Python zygote. It is told what to do by a [`plan::Plan`] on the control socket, which is its standard input, and says on
//! the same socket what failed. Forking cells is the zygote's part.

pub(crate) mod calls;
pub(crate) mod filter;
mod first;
mod landlock;
mod namespaces;
pub(crate) mod plan;
pub(crate) mod probe;
mod rlimits;
mod root;

use std::fs::File;
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::Mode;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, pidfd_open, pidfd_send_signal, waitpid};

use crate::expressions;
use crate::stage1::plan::{Failure, PROBE_ARGUMENT, Plan, STAGE1_ARGUMENT};
use crate::sys;

pub(crate) use crate::stage1::plan::EXPRESSIONS_ARGUMENT;

/// To be called first thing in `main`, before any thread is started. Returns at once unless this process was started by this
/// crate; then it never returns.
pub fn enter_if_asked() {
    match std::env::args().nth(1).as_deref() {
        Some(STAGE1_ARGUMENT) => std::process::exit(enter()),
        Some(PROBE_ARGUMENT) => std::process::exit(probe::report()),
        Some(EXPRESSIONS_ARGUMENT) => std::process::exit(expressions::worker::serve()),
        _ => {}
    }
}

/// A step that did not work, in words for the person who reads the log.
#[derive(Debug, thiserror::Error)]
#[error("cannot {step}: {source}")]
pub(crate) struct StepError {
    step: String,
    source: io::Error,
}

/// Names the step in the error of a system call.
pub(crate) trait Step<T> {
    fn step(self, step: impl Into<String>) -> Result<T, StepError>;
}

impl<T, E: Into<io::Error>> Step<T> for Result<T, E> {
    fn step(self, step: impl Into<String>) -> Result<T, StepError> {
        self.map_err(|source| StepError { step: step.into(), source: source.into() })
    }
}

fn enter() -> i32 {
    match build_and_watch() {
        Ok(status) => status,
        Err(error) => {
            print_error(&error);
            1
        }
    }
}

fn print_error(error: &StepError) {
    let message = Failure { stage1_failed: error.to_string() };
    if let Ok(bytes) = serde_json::to_vec(&message) {
        // Whoever would read it may be gone already; there is nobody else to tell.
        let _ = rustix::net::send(io::stdin(), &bytes, rustix::net::SendFlags::NOSIGNAL);
    }
}

fn build_and_watch() -> Result<i32, StepError> {
    sys::close_all_from(3).step("close inherited descriptors")?;
    // What is made here is for cells, who may be another user than we are.
    rustix::process::umask(Mode::from_raw_mode(0o022));
    let (plan, certificates) = read_plan()?;
    if plan.layers.namespaces {
        namespaces::enter(&plan, certificates.as_ref())?;
    }
    drop(certificates);
    match sys::fork().step("fork into the namespaces")? {
        None => {
            let error = become_zygote(&plan);
            print_error(&error);
            std::process::exit(1);
        }
        Some(pid) => watch(pid),
    }
}

/// The plan, and the certificates of cells if they may have a way out.
fn read_plan() -> Result<(Plan, Option<File>), StepError> {
    let mut buffer = vec![0; 1 << 20];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut attached = RecvAncillaryBuffer::new(&mut space);
    let pieces = &mut [IoSliceMut::new(&mut buffer)];
    let received = recvmsg(io::stdin(), pieces, &mut attached, RecvFlags::CMSG_CLOEXEC)
        .step("read the plan from standard input")?;
    let plan = serde_json::from_slice(&buffer[..received.bytes])
        .map_err(io::Error::from)
        .step("understand the plan")?;
    let certificates = attached.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut fds) => fds.next().map(File::from),
        _ => None,
    });
    Ok((plan, certificates))
}

/// Only returns when something failed.
fn become_zygote(plan: &Plan) -> StepError {
    let first = if plan.layers.namespaces { first::run_init() } else { Ok(()) };
    match first.and_then(|()| confine(plan)) {
        Err(error) => error,
        Ok(()) => exec(plan),
    }
}

fn confine(plan: &Plan) -> Result<(), StepError> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .step("ask to die with the parent")?;
    rlimits::set(plan)?;
    rustix::thread::set_no_new_privs(true).step("set no_new_privs")?;
    if plan.layers.landlock {
        let ruleset = landlock::ruleset(plan)?;
        sys::place_at(ruleset.into(), landlock::FD).step("place the landlock ruleset")?;
    }
    if plan.layers.seccomp {
        sys::install_filter(&filter::outer()).step("install the seccomp filter")?;
    }
    Ok(())
}

fn exec(plan: &Plan) -> StepError {
    #[allow(clippy::disallowed_methods, reason = "this is the crate that starts processes")]
    let mut command = Command::new(&plan.python);
    command.args(&plan.arguments).env_clear().envs(plan.variables.iter().map(|(name, value)| (name, value)));
    StepError { step: format!("start `{}`", plan.python.display()), source: command.exec() }
}

/// Waits for the zygote to end, and ends it when the supervisor goes away without a word. A zygote that hangs while it loads
/// packages would not notice by itself.
fn watch(pid: i32) -> Result<i32, StepError> {
    let pid = Pid::from_raw(pid).ok_or(io::ErrorKind::InvalidInput).step("name the zygote")?;
    let zygote = pidfd_open(pid, PidfdFlags::empty()).step("watch the zygote")?;
    let stdin = io::stdin();
    let mut watched =
        [PollFd::new(&zygote, PollFlags::IN), PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::empty())];
    while watched.iter().all(|one| one.revents().is_empty()) {
        match poll(&mut watched, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error).step("wait for the zygote"),
        }
    }
    // Killing what has ended already fails, which is as good.
    let _ = pidfd_send_signal(&zygote, Signal::KILL);
    let ended = waitpid(Some(pid), WaitOptions::empty()).step("take leave of the zygote")?;
    Ok(ended.and_then(|(_, status)| status.exit_status()).unwrap_or(1))
}
