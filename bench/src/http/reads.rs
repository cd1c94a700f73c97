//! Small reads over a few kept connections: as many as the processors bear.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::door::Door;
use crate::load;
use crate::measure::{Times, human};

const CLIENTS: usize = 16;

pub(super) async fn measure(door: &Door, seconds: u64) -> anyhow::Result<()> {
    for path in ["/api/v1/health", "/api/v1/functions/add", "/api/v1/runs?limit=20"] {
        load::tell(&format!("reading {path} over {CLIENTS} connections"))?;
        let begun = Instant::now();
        let end = begun + Duration::from_secs(seconds);
        let mut reading = JoinSet::new();
        for _ in 0..CLIENTS {
            let mut client = door.client().await?;
            reading.spawn(async move {
                let mut times = Vec::new();
                while Instant::now() < end {
                    let begun = Instant::now();
                    client.get(path).await?;
                    times.push(begun.elapsed());
                }
                anyhow::Ok(times)
            });
        }
        let mut times = Times::default();
        while let Some(done) = reading.join_next().await {
            times.0.extend(done??);
        }
        let rate = times.0.len() as f64 / begun.elapsed().as_secs_f64();
        println!("{rate:.0}/s, p50 {}, p99 {}", human(times.percentile(50)), human(times.percentile(99)));
    }
    Ok(())
}
