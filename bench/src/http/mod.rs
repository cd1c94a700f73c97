//! The HTTP door: what it adds to a run, how many small reads and how many connections it bears, and what a server costs that
//! does nothing.

mod client;
mod connections;
mod door;
mod overhead;
mod reads;
mod server;
mod starting;
mod wire;

use std::path::PathBuf;

use crate::measure::{flush_time, human};
use crate::python::Python;
use crate::runs::world::Place;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How often a run is measured each way.
    #[arg(long, default_value_t = 500)]
    calls: usize,
    /// How long reads are counted.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// How many connections there are at once.
    #[arg(long, default_value_t = 1_000)]
    connections: usize,
    /// How long they read.
    #[arg(long, default_value_t = 60)]
    load_seconds: u64,
    /// How many functions the brain has that a server is started on.
    #[arg(long, default_value_t = 100_000)]
    stored: usize,
    /// The program that is started; without it neither starts nor many connections are measured.
    #[arg(long)]
    selfmade: Option<PathBuf>,
    /// The interpreter cells are made of.
    #[arg(long, default_value = "python3")]
    python: String,
    /// Where the databases are put; the disk below decides what a commit costs.
    #[arg(long)]
    folder: Option<PathBuf>,
}

pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<()> {
    // On a worker, where a server's requests are too; the thread that blocks would be woken through one.
    tokio::spawn(measure(arguments)).await?
}

async fn measure(arguments: Arguments) -> anyhow::Result<()> {
    let folder = match &arguments.folder {
        Some(folder) => tempfile::tempdir_in(folder)?,
        None => tempfile::tempdir()?,
    };
    let python = Python::find(&arguments.python)?;
    println!("{} on {} processors", python.version, std::thread::available_parallelism()?);
    println!("a 4 KiB write and flush on this disk: {}", human(flush_time(folder.path())?));
    println!("clients share the processors with what they ask");
    let place = Place { folder: folder.path().to_owned(), python, postgres: None };
    let door = door::open(&place).await?;
    overhead::measure(&door, arguments.calls).await?;
    reads::measure(&door, arguments.seconds).await?;
    door.close().await;
    if let Some(selfmade) = &arguments.selfmade {
        connections::measure(selfmade, &place, arguments.connections, arguments.load_seconds).await?;
        starting::measure(selfmade, &place, arguments.stored).await?;
    }
    Ok(())
}
