//! One cell, held from outside: its process, its socket, its output. Dropping it kills it and all it started.

mod exchange;
#[cfg(any(test, feature = "fuzz"))]
pub(crate) mod hearing;
mod request;
mod rest;
mod run;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{Signal, pidfd_send_signal};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::sync::oneshot;

use crate::cell::rest::Rest;
use crate::error::Error;
use crate::limits::{Cgroup, Cgroups, data_bytes, kill_family, pid_of};
use crate::protocol::{Decoder, FrameLimits, FromCell};
use crate::sys;
use crate::zygote::{Reaped, Zygote};

/// A forked cell must have put on its layers by then; it takes two milliseconds.
const READY: Duration = Duration::from_secs(10);

pub(crate) struct Cell {
    pidfd: AsyncFd<OwnedFd>,
    /// In our own pid namespace.
    pid: i32,
    number: u64,
    stream: UnixStream,
    stdout: pipe::Receiver,
    stderr: pipe::Receiver,
    decoder: Decoder,
    reaped: oneshot::Receiver<Reaped>,
    /// Writable memory it was born with, which its limit comes on top of.
    born_with: u64,
    cgroup: Option<Cgroup>,
    /// Where its way out begins, if it ever had one.
    listener: Option<OwnedFd>,
    /// Between two jobs.
    rest: Option<Rest>,
    pub(crate) zygote: Arc<Zygote>,
}

impl Cell {
    /// Forks a cell and waits until it is ready. Beside it stands what it says about how it was made.
    pub(crate) async fn fork(
        zygote: &Arc<Zygote>,
        frame: FrameLimits,
        cgroups: Option<&Cgroups>,
    ) -> Result<(Cell, Vec<(String, u64)>), Error> {
        let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
            .map_err(io::Error::from)?;
        let (stdout, stdout_in) = pipe()?;
        let (stderr, stderr_in) = pipe()?;
        let stream = std::os::unix::net::UnixStream::from(ours);
        stream.set_nonblocking(true)?;
        let newborn = zygote.fork([theirs, stdout_in, stderr_in]).await?;
        let failed = |why: String| Error::Cell { environment: zygote.environment.id.clone(), why };
        let pid = pid_of(&newborn.pidfd).map_err(|error| failed(error.to_string()))?;
        let mut cell = Cell {
            pidfd: sys::awaited(newborn.pidfd, Interest::READABLE)?,
            pid,
            number: newborn.number,
            stream: UnixStream::from_std(stream)?,
            stdout,
            stderr,
            decoder: Decoder::new(frame),
            reaped: newborn.reaped,
            born_with: 0,
            cgroup: None,
            listener: None,
            rest: None,
            zygote: Arc::clone(zygote),
        };
        if let Some(cgroups) = cgroups {
            cell.cgroup = Some(cgroups.enclose(pid)?);
        }
        let steps = match tokio::time::timeout(READY, cell.first_message()).await {
            Ok(Some(FromCell::Ready(steps))) => steps,
            Ok(Some(FromCell::Unready(why))) => return Err(failed(why)),
            Ok(_) => return Err(failed("it ended before it was ready".to_owned())),
            Err(_) => return Err(failed(format!("it was not ready after {} s", READY.as_secs()))),
        };
        cell.born_with = data_bytes(pid).map_err(|error| failed(error.to_string()))?;
        Ok((cell, steps))
    }

    async fn first_message(&mut self) -> Option<FromCell> {
        loop {
            self.stream.readable().await.ok()?;
            let mut buffer = [0; 4096];
            match self.stream.try_read(&mut buffer) {
                Ok(0) => return None,
                Ok(size) => self.decoder.push(&buffer[..size]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                Err(_) => return None,
            }
            if let Some(frame) = self.decoder.next_frame().ok()? {
                return serde_json::from_slice(frame).ok();
            }
        }
    }

    /// A listener on its own loopback, opened once and used again by the next job of a warm cell.
    pub(crate) async fn listen(&mut self) -> Result<OwnedFd, Error> {
        let listener = match self.listener.take() {
            Some(listener) => listener,
            None => self.zygote.listen(self.number).await?,
        };
        Ok(self.listener.insert(listener).try_clone()?)
    }

    pub(crate) fn is_alive(&self) -> bool {
        let mut watched = [PollFd::new(self.pidfd.get_ref(), PollFlags::IN)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut watched, Some(&now)).is_ok_and(|ended| ended == 0)
    }

    /// Its process, for tests of what happens when it dies.
    pub(crate) fn pid(&self) -> i32 {
        self.pid
    }

    fn signal(&self, signal: Signal) {
        if signal == Signal::KILL && !self.zygote.namespaces {
            // Nothing else ends what it started, where it is not the first process of a namespace.
            kill_family(self.pid);
        }
        // It may have ended by itself, which is what the signal is for.
        let _ = pidfd_send_signal(self.pidfd.get_ref().as_fd(), signal);
    }

    /// Kills it and waits until it and all it started are gone.
    async fn kill(&self) {
        self.signal(Signal::KILL);
        self.ended(Duration::from_secs(5)).await;
    }

    /// Whether it ended within the time.
    async fn ended(&self, within: Duration) -> bool {
        tokio::time::timeout(within, self.pidfd.readable()).await.is_ok()
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

fn pipe() -> io::Result<(pipe::Receiver, OwnedFd)> {
    let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    Ok((pipe::Receiver::from_owned_fd(read)?, write))
}
