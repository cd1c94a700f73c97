//! The control socket between supervisor and zygote: whole messages, some with descriptors attached.

use std::io;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use serde::{Deserialize, Serialize};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::sys;

/// No message of a zygote is longer.
const MESSAGE_BYTES: usize = 16 << 10;

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToZygote {
    /// A cell in a hurry does not rehearse: someone waits for it.
    Fork {
        number: u64,
        hurry: bool,
        /// How many cells of it we hold; the others have been killed.
        alive: usize,
    },
    Listen(u64),
    /// How did it end?
    Reap(u64),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FromZygote {
    Booted {
        skipped: Vec<String>,
    },
    Stage1Failed(String),
    Forked(u64),
    ForkFailed {
        number: u64,
        why: String,
    },
    Listening(u64),
    ListenFailed {
        number: u64,
        why: String,
    },
    /// An exit status or a negative signal; nothing if it was killed, or long ago.
    Reaped {
        number: u64,
        status: Option<i32>,
        cpu_us: u64,
    },
}

pub(super) struct Control(AsyncFd<OwnedFd>);

impl Control {
    /// Our end, and the one the zygote gets.
    pub(super) fn pair() -> io::Result<(Control, OwnedFd)> {
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        Ok((Control(sys::awaited(ours, Interest::READABLE | Interest::WRITABLE)?), theirs))
    }

    pub(super) async fn send<T: Serialize>(&self, message: &T, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        let bytes = serde_json::to_vec(message)?;
        self.0.async_io(Interest::WRITABLE, |fd| send_now(fd.as_fd(), &bytes, fds)).await
    }

    /// Ends the conversation for both sides.
    pub(super) fn close(&self) {
        // It fails when the other side has gone, and then it is closed already.
        let _ = rustix::net::shutdown(self.0.get_ref(), rustix::net::Shutdown::Both);
    }

    /// The next message and what is attached to it; nothing when the zygote is gone.
    pub(super) async fn receive(&self) -> io::Result<Option<(FromZygote, Option<OwnedFd>)>> {
        let mut buffer = vec![0; MESSAGE_BYTES];
        let mut received = self.receive_once(&mut buffer).await;
        // Whoever goes without reading all we sent resets the socket, and the kernel tells that before it hands over
        // what they said last, which is why they went.
        if matches!(&received, Err(error) if error.kind() == io::ErrorKind::ConnectionReset) {
            received = self.receive_once(&mut buffer).await;
        }
        let (size, fd) = received?;
        if size == 0 {
            return Ok(None);
        }
        Ok(Some((serde_json::from_slice(&buffer[..size])?, fd)))
    }

    async fn receive_once(&self, buffer: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
        self.0.async_io(Interest::READABLE, |fd| receive_now(fd.as_fd(), buffer)).await
    }
}

fn send_now(socket: BorrowedFd<'_>, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut attached = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() {
        attached.push(SendAncillaryMessage::ScmRights(fds));
    }
    sendmsg(socket, &[IoSlice::new(bytes)], &mut attached, SendFlags::NOSIGNAL)?;
    Ok(())
}

fn receive_now(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut attached = RecvAncillaryBuffer::new(&mut space);
    let got = recvmsg(socket, &mut [IoSliceMut::new(buffer)], &mut attached, RecvFlags::CMSG_CLOEXEC)?;
    let fd = attached.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
        _ => None,
    });
    Ok((got.bytes, fd))
}
