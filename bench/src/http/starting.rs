//! A server of its own: how long from its start until it answers, and what it holds while it does nothing.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use store::Durability;

use super::client::Client;
use crate::load;
use crate::measure::{Times, human};
use crate::runs::world::Place;

const STARTS: usize = 5;
const IDLE: Duration = Duration::from_secs(5);

pub(super) async fn measure(selfmade: &Path, place: &Place, stored: usize) -> anyhow::Result<()> {
    for (name, functions) in [("none", 0), ("many", stored)] {
        let home = format!("starting-{name}");
        let world = place.brain(&home, Durability::Process).await?;
        world.fill(0, functions).await?;
        world.ctx.close().await;
        load::tell(&format!("starting a server with {functions} functions stored"))?;
        let mut times = Times::default();
        let mut resident = 0;
        for _ in 0..STARTS {
            let begun = Instant::now();
            let server = Server::start(selfmade, &place.folder.join(&home))?;
            // Whoever answers this has a database that answers.
            Client::connect(server.address, "").await?.get("/api/v1/health").await?;
            times.0.push(begun.elapsed());
            tokio::time::sleep(IDLE).await;
            resident = server.resident()?;
        }
        println!(
            "ready after {} at the median, holds {:.1} MB while idle",
            human(times.percentile(50)),
            resident as f64 / 1024.0
        );
    }
    Ok(())
}

struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    fn start(selfmade: &Path, home: &Path) -> anyhow::Result<Server> {
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
    fn resident(&self) -> anyhow::Result<u64> {
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
