//! `selfmade restore`: a backup takes the place of the brain.

use std::path::PathBuf;

use server::app::backup::{self, KeyAfter};
use server::clock::Clock;

use crate::error::{Error, Exit};
use crate::session::{Session, make_folder};

/// Put a backup in the place of the brain
///
/// The file is checked first. A brain that is there is only replaced with `--force`, and kept beside the new one; while a server runs
/// nothing is replaced. Runs that were queued or under way when the backup was made are queued or under way again: what they did after
/// that is done once more, if they may be resumed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade restore brain-monday.db --home new-brain
  selfmade stop; selfmade restore brain-monday.db --force; selfmade start")]
pub(crate) struct Arguments {
    /// A file that `backup` wrote; FILE.key beside it is used, too
    file: PathBuf,
    /// Replace the brain that is there; it is kept beside the new one
    #[arg(long)]
    force: bool,
}

pub(crate) async fn run(session: &Session, arguments: Arguments) -> Result<Exit, Error> {
    let settings = &session.settings;
    make_folder(&settings.home.path)?;
    let config = settings.config(&settings.home.path)?;
    let from = settings.here.join(&arguments.file);
    let restored = backup::restore(&config, &from, arguments.force, Clock::System.now()).await?;
    session.output.answer(&restored, |_| format!("{}\n", restored.database.display()))?;
    session.output.note(format!("restored revision {}", restored.revision));
    if let Some(aside) = &restored.aside {
        session.output.note(format!("what was there is now {}", aside.display()));
    }
    match restored.key {
        KeyAfter::Restored => session.output.note("the key that opens secrets was restored, too"),
        KeyAfter::Kept => session.output.note("the key that was there stays; secrets open if it is that of the backup"),
        KeyAfter::Missing => session.output.warning(
            "there is no key: secrets cannot be opened until `secrets.key` of the old data folder is put into this one",
        ),
    }
    Ok(Exit::Done)
}
