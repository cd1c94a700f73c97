//! `selfmade import`: a folder that was exported, or the database of a BabyAGI brain.

use std::path::{Path, PathBuf};

use model::access::Access;
use secrecy::SecretString;
use server::app::babyagi::{self, Imported, Keys};

use crate::client::{Brain, FolderImport};
use crate::error::{Error, Exit};
use crate::files;
use crate::session::Session;
use crate::terminal::progress::Progress;
use crate::terminal::style::{counted, printable};
use crate::views::applied;
use crate::views::findings;

/// Import an exported folder or a BabyAGI database
///
/// A folder makes the brain match its files, as one changeset; entries that it lacks are kept, unless --prune is given.
/// A BabyAGI database adds functions with all their versions, triggers, the log as runs, and keys as secrets.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade import brain
  selfmade import brain --prune                  delete entries that are not in the folder
  selfmade import funztionz.db --key encryption_key.json")]
pub(crate) struct Arguments {
    #[arg(value_name = "DIR|DATABASE")]
    path: PathBuf,
    /// Delete entries that are not in the folder
    #[arg(long)]
    prune: bool,
    /// Apply it even if stored callers, triggers, schedules or graphs no longer fit
    #[arg(long)]
    force: bool,
    /// The key file of the BabyAGI brain
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Do not import the encrypted keys of the BabyAGI brain
    #[arg(long, conflicts_with = "key")]
    no_keys: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let path = &arguments.path;
    let metadata = std::fs::metadata(path).map_err(|source| Error::read(path, source))?;
    if metadata.is_dir() {
        refuse("--key", arguments.key.is_some(), "a folder")?;
        refuse("--no-keys", arguments.no_keys, "a folder")?;
        return import_folder(session, brain, path, arguments.prune, arguments.force).await;
    }
    refuse("--prune", arguments.prune, "a BabyAGI database")?;
    refuse("--force", arguments.force, "a BabyAGI database")?;
    if session.settings.server.is_some() {
        return Err(Error::Input {
            problem: "a BabyAGI database can be imported only on the machine that has the brain".to_owned(),
            hint: "copy it there and import it there, without `--server`; or `selfmade export` it here and import the folder".to_owned(),
        });
    }
    import_babyagi(session, brain, path, arguments.key.as_deref(), arguments.no_keys).await
}

fn refuse(option: &str, given: bool, what: &str) -> Result<(), Error> {
    if !given {
        return Ok(());
    }
    Err(Error::Input { problem: format!("`{option}` does not apply to {what}"), hint: "omit it".to_owned() })
}

async fn import_folder(
    session: &Session,
    brain: &Brain,
    path: &Path,
    prune: bool,
    force: bool,
) -> Result<Exit, Error> {
    let progress = Progress::start(&session.output, "reading the folder");
    let files = files::read_folder(path, &[".py", ".json"])?;
    progress.say(format!("importing {} files", files.len()));
    let done = brain.import(&FolderImport { files, prune, force, ..FolderImport::default() }).await?;
    drop(progress);
    applied::show(&session.output, &done)?;
    Ok(Exit::Done)
}

async fn import_babyagi(
    session: &Session,
    brain: &Brain,
    path: &Path,
    key: Option<&Path>,
    leave_keys: bool,
) -> Result<Exit, Error> {
    let keys = match key {
        Some(key) => Keys::Open(read_key(key)?),
        None if leave_keys => Keys::Leave,
        None => Keys::Unsaid,
    };
    let imported = {
        let _progress = Progress::start(&session.output, format!("importing {}", path.display()));
        // Beside a server of this brain, as it is the same database.
        match brain.local() {
            Some(local) => babyagi::import(&local.ctx, &Access::of_command_line(), path, &keys).await?,
            None => {
                let local = session.open_here().await?;
                let imported = babyagi::import(&local.ctx, &Access::of_command_line(), path, &keys).await;
                local.ctx.close().await;
                imported?
            }
        }
    };
    session.output.answer(&imported, |_| report(&imported))?;
    let notes: Vec<String> = imported.notes.iter().map(|note| format!("  {}\n", printable(note))).collect();
    findings::section(
        &session.output,
        &notes,
        "thing was imported differently",
        "things were imported differently",
    );
    applied::tell(&session.output, &imported.applied);
    Ok(Exit::Done)
}

fn read_key(path: &Path) -> Result<SecretString, Error> {
    let bytes = files::read(path)?;
    let key = std::str::from_utf8(&bytes).ok().and_then(babyagi::key_of_file);
    key.ok_or_else(|| Error::Input {
        problem: format!("`{}` contains no key", path.display()),
        hint: "use the `encryption_key.json` next to the database".to_owned(),
    })
}

fn report(imported: &Imported) -> String {
    let counts = [
        (imported.functions, "function"),
        (imported.versions, "version"),
        (imported.triggers, "trigger"),
        (imported.runs, "run"),
        (imported.calls, "call"),
        (imported.secrets, "secret"),
    ];
    counts.iter().map(|(count, noun)| format!("{}\n", counted(*count, noun))).collect()
}
