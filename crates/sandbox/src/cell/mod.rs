//! One cell, held from outside: its process, its socket, its output. Dropping it kills it and all it started.

mod compile;
#[cfg(any(test, feature = "fuzz"))]
pub(crate) mod conversation;
mod exchange;
mod output;
mod pipe;
mod request;
mod run;
mod socket;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use rustix::process::{Signal, pidfd_send_signal};
use tokio::io::Interest;
use tokio::time::Instant;

use crate::cell::pipe::Pipe;
use crate::cell::socket::Socket;
use crate::error::Error;
use crate::limits::{Cgroup, Cgroups, Companions, data_bytes, kill_family, pid_of};
use crate::protocol::{Decoder, FrameLimits, FromCell, TimedStep};
use crate::sys;
use crate::zygote::{AliveGuard, Zygote};

/// A forked cell must have put on its layers by then; it takes two milliseconds.
const READY: Duration = Duration::from_secs(10);

pub(crate) struct Cell {
    pidfd: OwnedFd,
    /// In our own pid namespace.
    pid: i32,
    number: u64,
    socket: Socket,
    stdout: Pipe,
    stderr: Pipe,
    decoder: Decoder,
    /// The key of the closure it has loaded, if it was kept warm.
    loaded: Option<String>,
    /// The functions of its job whose code was not known.
    pub(crate) uncompiled: Vec<usize>,
    /// Writable memory it was born with, which its limit comes on top of.
    born_with: u64,
    cgroup: Option<Cgroup>,
    /// From the first time on that it was asked for.
    companions: Option<Companions>,
    /// Where its way out begins, if it ever had one.
    listener: Option<OwnedFd>,
    born: Instant,
    pub(crate) zygote: Arc<Zygote>,
    _life: AliveGuard,
}

impl Cell {
    /// Forks a cell and waits until it is ready. Beside it stands what it says about how it was made.
    pub(crate) async fn fork(
        zygote: &Arc<Zygote>,
        frame: FrameLimits,
        hurry: bool,
        cgroups: Option<&Cgroups>,
    ) -> Result<(Cell, Vec<TimedStep>), Error> {
        let (socket, theirs) = Socket::pair()?;
        let (stdout, stdout_in) = Pipe::new()?;
        let (stderr, stderr_in) = Pipe::new()?;
        let newborn = zygote.fork([theirs, stdout_in, stderr_in], hurry).await?;
        let failed = |why: String| Error::Cell { environment: zygote.environment.id.clone(), why };
        let pid = pid_of(&newborn.pidfd).map_err(|error| failed(error.to_string()))?;
        let mut cell = Cell {
            pidfd: newborn.pidfd,
            pid,
            number: newborn.number,
            socket,
            stdout,
            stderr,
            decoder: Decoder::new(frame),
            loaded: None,
            uncompiled: Vec::new(),
            born_with: 0,
            cgroup: None,
            companions: None,
            listener: None,
            born: Instant::now(),
            zygote: Arc::clone(zygote),
            _life: newborn.life,
        };
        if let Some(cgroups) = cgroups {
            cell.cgroup = Some(cgroups.enclose(pid)?);
        }
        let steps = match tokio::time::timeout(READY, cell.next_message()).await {
            Ok(Some(FromCell::Ready(steps))) => steps,
            Ok(Some(FromCell::Unready(why))) => return Err(failed(why)),
            Ok(_) => return Err(failed("it ended before it was ready".to_owned())),
            Err(_) => return Err(failed(format!("it was not ready after {} s", READY.as_secs()))),
        };
        cell.born_with = zygote.heritage(|| data_bytes(pid)).map_err(|error| failed(error.to_string()))?;
        Ok((cell, steps))
    }

    async fn next_message(&mut self) -> Option<FromCell> {
        loop {
            if let Some(frame) = self.decoder.next_frame().ok()? {
                return serde_json::from_slice(frame).ok();
            }
            self.socket.readable().await.ok()?;
            let mut buffer = [0; 4096];
            match self.socket.read(&mut buffer) {
                Ok(0) => return None,
                Ok(size) => self.decoder.push(&buffer[..size]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return None,
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

    /// Has someone woken when this cell, which waits for a job, ends or says something. False if it has done so already.
    pub(crate) fn guard(&self, waker: &Waker) -> bool {
        self.socket.guard(waker)
    }

    /// Whether nothing is left in it but its one thread, seen from outside. To be asked when its job is done.
    pub(crate) fn is_alone(&mut self) -> bool {
        if self.companions.is_none() {
            self.companions = Companions::of(self.pid).ok();
        }
        self.companions.as_ref().is_some_and(Companions::is_empty)
    }

    /// Whether it is there and waits for a job. It is not guarded any more.
    pub(crate) fn is_idle(&self) -> bool {
        self.guard(Waker::noop())
    }

    pub(crate) fn born(&self) -> Instant {
        self.born
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
        let _ = pidfd_send_signal(&self.pidfd, signal);
    }

    /// Kills it and waits until it and all it started are gone.
    async fn kill(&self) {
        self.signal(Signal::KILL);
        self.ended(Duration::from_secs(5)).await;
    }

    /// Whether it ended within the time.
    async fn ended(&self, within: Duration) -> bool {
        let Ok(watched) = self.pidfd.try_clone().and_then(|fd| sys::awaited(fd, Interest::READABLE)) else {
            return false;
        };
        tokio::time::timeout(within, watched.readable()).await.is_ok()
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}
