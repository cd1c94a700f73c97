//! The reading end of a cell's standard output or error. Most jobs end before anyone would look, and write little or
//! nothing; so it is read when they end, and the runtime is told to watch it only for a job that goes on.

use std::io;
use std::os::fd::OwnedFd;

use rustix::pipe::{PipeFlags, pipe_with};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::sys;

pub(super) enum Pipe {
    Unwatched(OwnedFd),
    Watched(AsyncFd<OwnedFd>),
    /// Nothing can come any more.
    Closed,
}

impl Pipe {
    /// Our end, and the one the cell gets.
    pub(super) fn new() -> io::Result<(Pipe, OwnedFd)> {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&read, true)?;
        Ok((Pipe::Unwatched(read), write))
    }

    /// From now on `readable` tells when something comes.
    pub(super) fn watch(&mut self) {
        *self = match std::mem::replace(self, Pipe::Closed) {
            // Without room for one more to watch, the cell's output is lost and its job is not.
            Pipe::Unwatched(fd) => sys::awaited(fd, Interest::READABLE).map_or(Pipe::Closed, Pipe::Watched),
            other => other,
        };
    }

    pub(super) fn close(&mut self) {
        *self = Pipe::Closed;
    }

    /// Waits until there is something to read, if it is watched; for ever if not.
    pub(super) async fn readable(&self) {
        match self {
            // If the runtime is gone nothing is awaited any more.
            Pipe::Watched(fd) => drop(fd.readable().await),
            Pipe::Unwatched(_) | Pipe::Closed => std::future::pending().await,
        }
    }

    /// What is there, after `readable`.
    pub(super) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Pipe::Watched(fd) => fd.try_io(Interest::READABLE, |fd| Ok(rustix::io::read(fd, buffer)?)),
            Pipe::Unwatched(_) | Pipe::Closed => Ok(0),
        }
    }

    /// Throws away what is there.
    pub(super) fn discard(&self) {
        let mut buffer = [0; 4096];
        // A pipe that is not empty after so many reads is being filled, and what fills it is looked for elsewhere.
        for _ in 0..64 {
            if !matches!(self.read_past_runtime(&mut buffer), Ok(size) if size > 0) {
                return;
            }
        }
    }

    /// What is there now. The runtime would say "nothing" until it has looked again, and the last words would be lost.
    pub(super) fn read_past_runtime(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Pipe::Unwatched(fd) => Ok(rustix::io::read(fd, buffer)?),
            Pipe::Watched(fd) => Ok(rustix::io::read(fd.get_ref(), buffer)?),
            Pipe::Closed => Ok(0),
        }
    }
}
