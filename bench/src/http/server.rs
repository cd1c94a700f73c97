//! A server in a process of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::Context;

pub(super) struct Server {
    child: Child,
    pub(super) address: SocketAddr,
}

impl Server {
    pub(super) fn start(selfmade: &Path, home: &Path) -> anyhow::Result<Server> {
        let mut child = Command::new(selfmade)
            .args(["serve", "--listen", "127.0.0.1:0", "--home"])
            .arg(home)
            .stderr(Stdio::piped())
            .spawn()?;
        let stderr = child.stderr.take().context("the server has no standard error")?;
        let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.split_once("listening at http://")?.1.trim().parse().ok());
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Server { child, address: address.context("the server does not listen")? })
    }

    /// In kilobytes.
    pub(super) fn resident(&self) -> anyhow::Result<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no resident memory")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It is the only one that uses this brain, and nothing of it is needed any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
