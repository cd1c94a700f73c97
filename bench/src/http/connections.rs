//! Many connections at once, each asking again and again: all are answered.

use std::time::Instant;

use tokio::task::JoinSet;

use super::door::Door;
use crate::load;
use crate::measure::{Times, human};

const EACH: usize = 20;

pub(super) async fn measure(door: &Door, connections: usize) -> anyhow::Result<()> {
    load::tell(&format!("{connections} connections at once, {EACH} reads each"))?;
    let mut clients = Vec::with_capacity(connections);
    for _ in 0..connections {
        clients.push(door.client().await?);
    }
    let begun = Instant::now();
    let mut reading = JoinSet::new();
    for mut client in clients {
        reading.spawn(async move {
            let mut times = Vec::with_capacity(EACH);
            for _ in 0..EACH {
                let begun = Instant::now();
                client.get("/api/v1/functions/add").await?;
                times.push(begun.elapsed());
            }
            anyhow::Ok(times)
        });
    }
    let (mut times, mut failed) = (Times::default(), 0);
    while let Some(done) = reading.join_next().await {
        match done? {
            Ok(more) => times.0.extend(more),
            Err(error) => {
                failed += 1;
                println!("a connection failed: {error:#}");
            }
        }
    }
    let rate = times.0.len() as f64 / begun.elapsed().as_secs_f64();
    println!(
        "{failed} connections failed; {rate:.0}/s, p50 {}, p99 {}",
        human(times.percentile(50)),
        human(times.percentile(99))
    );
    Ok(())
}
