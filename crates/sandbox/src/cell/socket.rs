//! Our end of a cell's socket. The runtime watches it for what comes and not for room to write, because that would wake us each
//! time the cell has read something; only when a message does not fit is room waited for.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::OnceLock;
use std::task::{Context, Waker};

use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socketpair};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::sys;

pub(super) struct Socket {
    fd: AsyncFd<OwnedFd>,
    /// The same socket, watched for room to write.
    room: OnceLock<AsyncFd<OwnedFd>>,
}

impl Socket {
    /// Our end, and the one the cell gets.
    pub(super) fn pair() -> io::Result<(Socket, OwnedFd)> {
        let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        let fd = sys::awaited(ours, Interest::READABLE)?;
        Ok((Socket { fd, room: OnceLock::new() }, theirs))
    }

    /// Waits until there is something to read.
    pub(super) async fn readable(&self) -> io::Result<()> {
        self.fd.readable().await.map(drop)
    }

    /// What is there, as far as the buffer goes; nothing means that the cell has closed its end.
    pub(super) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.fd.try_io(Interest::READABLE, |fd| Ok(recv(fd, &mut *buffer, RecvFlags::empty())?.0))
    }

    /// Writes as much as there is room for.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self.room.get() {
            None => Ok(send(&self.fd, bytes, SendFlags::NOSIGNAL)?),
            Some(room) => room.try_io(Interest::WRITABLE, |fd| Ok(send(fd, bytes, SendFlags::NOSIGNAL)?)),
        }
    }

    /// Waits until there is room to write.
    pub(super) async fn writable(&self) -> io::Result<()> {
        if let Some(room) = self.room.get() {
            return room.writable().await.map(drop);
        }
        let room = sys::awaited(self.fd.get_ref().try_clone()?, Interest::WRITABLE)?;
        self.room.get_or_init(|| room).writable().await.map(drop)
    }

    /// Has someone woken when something comes or the cell ends. False if that has happened already.
    pub(super) fn guard(&self, waker: &Waker) -> bool {
        while self.is_silent() {
            if self.fd.poll_read_ready(&mut Context::from_waker(waker)).is_pending() {
                return true;
            }
        }
        false
    }

    fn is_silent(&self) -> bool {
        matches!(self.read(&mut [0]), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }
}
