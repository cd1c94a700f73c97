//! Many connections at once to a server of its own, each asking again and again: all are answered, none waits much longer than
//! others, and the server does not grow.

use std::path::Path;
use std::time::{Duration, Instant};

use store::Durability;
use tokio::task::JoinSet;

use super::client::Client;
use super::door::{runner, token};
use super::server::Server;
use crate::load;
use crate::measure::{Times, human};
use crate::runs::functions::ADD;
use crate::runs::world::Place;

pub(super) async fn measure(
    selfmade: &Path,
    place: &Place,
    connections: usize,
    seconds: u64,
) -> anyhow::Result<()> {
    let world = place.brain("connections", Durability::Process).await?;
    world.register(vec![model::function::FunctionDraft::of_source(ADD)]).await?;
    let token = token(&world, runner("connections")).await?;
    world.ctx.close().await;
    load::tell(&format!("{connections} connections at once, reading for {seconds} seconds"))?;
    let server = Server::start(selfmade, &place.folder.join("connections"))?;
    let mut clients = Vec::with_capacity(connections);
    for _ in 0..connections {
        clients.push(Client::connect(server.address, &token).await?);
    }
    let before = server.resident()?;
    let begun = Instant::now();
    let end = begun + Duration::from_secs(seconds);
    let mut reading = JoinSet::new();
    clients.into_iter().for_each(|client| drop(reading.spawn(read(client, end))));
    let (mut times, mut counts, mut failed) = (Times::default(), Vec::new(), 0);
    while let Some(done) = reading.join_next().await {
        match done? {
            Ok(more) => {
                counts.push(more.len());
                times.0.extend(more);
            }
            Err(error) => {
                failed += 1;
                println!("a connection failed: {error:#}");
            }
        }
    }
    let rate = times.0.len() as f64 / begun.elapsed().as_secs_f64();
    counts.sort_unstable();
    println!(
        "{failed} connections failed; {rate:.0}/s, p50 {}, p99 {}; {} to {} reads each; memory {:.1} MB before, {:.1} MB after",
        human(times.percentile(50)),
        human(times.percentile(99)),
        counts.first().copied().unwrap_or_default(),
        counts.last().copied().unwrap_or_default(),
        before as f64 / 1024.0,
        server.resident()? as f64 / 1024.0,
    );
    Ok(())
}

async fn read(mut client: Client, end: Instant) -> anyhow::Result<Vec<Duration>> {
    let mut times = Vec::new();
    while Instant::now() < end {
        let begun = Instant::now();
        client.get("/api/v1/functions/add").await?;
        times.push(begun.elapsed());
    }
    Ok(times)
}
