//! Compiling one source in a cell that does nothing else, before or after.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use tokio::time::timeout;

use crate::cell::Cell;
use crate::job::Function;
use crate::protocol::{CompileFrame, FromCell, ToCell, encode_frame};

/// What compiling may take; a function that takes more is compiled whenever it is run, within its own limits.
const COMPILE_TIMEOUT: Duration = Duration::from_secs(5);
const MEMORY_BYTES: u64 = 256 << 20;
const CODE_BYTES: usize = 1 << 20;

impl Cell {
    /// The code of a function's source, as the Python side writes it; nothing if there is none or it is too long. The cell
    /// goes with it.
    pub(crate) async fn compile(mut self, function: &Function) -> Option<String> {
        let asked = ToCell::Compile(CompileFrame {
            file: &function.file,
            source: &function.source,
            limits: BTreeMap::from([("RLIMIT_DATA", self.born_with + MEMORY_BYTES)]),
        });
        let frame = encode_frame(&asked).ok()?;
        let answer = async {
            self.write_all(&frame).await.ok()?;
            self.next_message().await
        };
        match timeout(COMPILE_TIMEOUT, answer).await {
            Ok(Some(FromCell::Compiled(code))) => code.filter(|code| code.len() <= CODE_BYTES),
            _ => None,
        }
    }

    async fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            self.socket.writable().await?;
            match self.socket.write(bytes) {
                Ok(size) => bytes = &bytes[size..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
