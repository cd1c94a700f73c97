//! `selfmade backup`: the whole brain in one file, also while a server runs.

use std::path::PathBuf;

use server::app::operations::backup;

use crate::error::{Error, Exit};
use crate::session::Session;

/// Back up the whole brain to one file, even while it is in use
///
/// The file is a SQLite database: functions with their history, runs, events, tokens, and encrypted secrets. It is written
/// to a temporary file, checked, and moved into place. The key that decrypts secrets is left out, so the file alone reveals none;
/// keep `secrets.key` somewhere else, or write it to FILE.key with `--with-key`. Files written by runs (`files/`) and `config.toml` are
/// not included.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade backup brain-monday.db
  selfmade backup /mnt/safe/brain.db --with-key
  selfmade restore brain-monday.db")]
pub(crate) struct Arguments {
    /// The file to write; it must not exist yet
    file: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
    /// Also write the key that decrypts secrets, to FILE.key
    #[arg(long)]
    with_key: bool,
}

pub(crate) async fn run(session: &Session, arguments: Arguments) -> Result<Exit, Error> {
    let settings = &session.settings;
    let config = settings.config(&settings.home.path)?;
    let to = settings.here.join(&arguments.file);
    let backed = backup::back_up(&config, &to, arguments.force, arguments.with_key).await?;
    session.output.answer(&backed, |_| format!("{}\n", backed.file.display()))?;
    session.output.note(format!("revision {}, {} bytes; checked", backed.revision, backed.bytes));
    match &backed.key {
        Some(key) => session
            .output
            .warning(format!("`{}` decrypts all secrets of this backup: keep the two apart", key.display())),
        None => session.output.note(
            "the key that decrypts secrets is not included: keep `secrets.key` as well, or use --with-key",
        ),
    }
    Ok(Exit::Done)
}
