//! `selfmade restore`: a backup takes the place of the brain.

use std::path::PathBuf;

use server::app::operations::backup::{self, KeyAfter};
use server::clock::Clock;

use crate::error::{Error, Exit};
use crate::session::{Session, make_folder};

/// Restore the brain from a backup
///
/// The file is checked first. An existing brain is replaced only with `--force`, and kept next to the new one; while a server runs,
/// nothing is replaced. Runs that were queued or running when the backup was made are queued or running again: what they did after
/// that is done again, if they can be resumed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade restore brain-monday.db --home new-brain
  selfmade stop; selfmade restore brain-monday.db --force; selfmade start")]
pub(crate) struct Arguments {
    /// A file written by `backup`; FILE.key next to it is used too
    file: PathBuf,
    /// Replace the existing brain; it is kept next to the new one
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
        session.output.note(format!("the previous brain is now {}", aside.display()));
    }
    match restored.key {
        KeyAfter::Restored => session.output.note("the key that decrypts secrets was restored too"),
        KeyAfter::Kept => session.output.note("the existing key was kept; secrets can be decrypted if it is the key of the backup"),
        KeyAfter::Missing => session.output.warning(
            "there is no key: secrets cannot be decrypted until `secrets.key` of the old data folder is copied into this one",
        ),
    }
    Ok(Exit::Done)
}
