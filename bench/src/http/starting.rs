//! A server of its own: how long from its start until it answers, and what it holds while it does nothing.

use std::path::Path;
use std::time::{Duration, Instant};

use store::Durability;

use super::client::Client;
use super::server::Server;
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
