//! What a job writes to standard output and error: passed on as it comes, up to the limit.

use std::io;
use std::sync::Arc;

use crate::cell::pipe::Pipe;
use crate::host::{Host, Stream};

const CHUNK: usize = 16 << 10;

pub(super) struct Output {
    host: Arc<dyn Host>,
    room: u64,
    pub(super) dropped: u64,
}

impl Output {
    pub(super) fn new(host: Arc<dyn Host>, limit: u64) -> Output {
        Output { host, room: limit, dropped: 0 }
    }

    /// Takes what is there. A pipe that nothing can come from any more is closed.
    pub(super) fn forward(&mut self, pipe: &mut Pipe, stream: Stream) {
        if !self.drain(stream, |buffer| pipe.read(buffer)) {
            pipe.close();
        }
    }

    /// Takes all that was printed until now, whether the pipes are watched or not.
    pub(super) fn take_printed(&mut self, stdout: &Pipe, stderr: &Pipe) {
        for (pipe, stream) in [(stdout, Stream::Stdout), (stderr, Stream::Stderr)] {
            self.drain(stream, |buffer| pipe.read_past_runtime(buffer));
        }
    }

    /// Whether more can come.
    fn drain(&mut self, stream: Stream, mut read: impl FnMut(&mut [u8]) -> io::Result<usize>) -> bool {
        let mut buffer = [0; CHUNK];
        // A bound on the reads of one turn: a cell that writes without end must not keep us from its deadline.
        for _ in 0..64 {
            match read(&mut buffer) {
                Ok(0) => return false,
                Ok(size) => self.take(stream, &buffer[..size]),
                Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
            }
        }
        true
    }

    fn take(&mut self, stream: Stream, bytes: &[u8]) {
        let kept = bytes.len().min(usize::try_from(self.room).unwrap_or(usize::MAX));
        if kept > 0 {
            self.host.output(stream, &bytes[..kept]);
        }
        self.room -= kept as u64;
        self.dropped += (bytes.len() - kept) as u64;
    }
}
