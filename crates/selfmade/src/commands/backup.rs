//! `selfmade backup`: the whole brain in one file, also while a server runs.

use std::path::PathBuf;

use server::app::backup;

use crate::error::{Error, Exit};
use crate::session::Session;

/// Write the whole brain into one file, also while it is in use
///
/// The file is a SQLite database: functions with their history, runs, events, tokens, and secrets as they are sealed. It is written
/// beside its place, checked, and moved there. The key that opens secrets is left out, so that the file alone gives none away;
/// keep `secrets.key` somewhere else, or write it to FILE.key with `--with-key`. Files that runs wrote (`files/`) and `config.toml` are
/// not in it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade backup brain-monday.db
  selfmade backup /mnt/safe/brain.db --with-key
  selfmade restore brain-monday.db")]
pub(crate) struct Arguments {
    /// Where to; it must not be there yet
    file: PathBuf,
    /// Write it over what is there
    #[arg(long)]
    force: bool,
    /// Write the key that opens secrets beside it, to FILE.key
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
            .warning(format!("`{}` opens all secrets of this backup: keep it apart from it", key.display())),
        None => session
            .output
            .note("the key that opens secrets is not in it: keep `secrets.key`, too, or use --with-key"),
    }
    Ok(Exit::Done)
}
