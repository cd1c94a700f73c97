//! The process that holds a server: starts it, says its URL, and takes it away when standard input closes.

use std::io::{self, Write};

use anyhow::{Context, Result};

use super::binaries;
use super::server::Server;

pub(crate) fn run(flushing: bool) -> Result<()> {
    let binaries = binaries::find().context("PostgreSQL is not installed")?;
    let server = Server::start(&binaries, flushing)?;
    // Whoever asked may be gone by now. Then nobody reads this, and standard input is closed already.
    let _ = writeln!(io::stdout(), "{}", server.url());
    io::copy(&mut io::stdin(), &mut io::sink()).context("cannot wait for standard input to close")?;
    server.stop()
}
