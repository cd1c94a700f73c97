//! `selfmade export`: the brain as a folder of files that lives well in git.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use model::entry::EntryKind;
use model::revision::Revision;
use serde_json::json;
use server::app::packs::TextFile;

use crate::brain_folder;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::files;
use crate::session::Session;
use crate::terminal::progress::Progress;
use crate::terminal::style::counted;

/// Export the brain to a folder of files
///
/// Functions are written as Python files, everything else as JSON, so a brain can be kept in git. Secrets, tokens and
/// runs are not exported. Exporting to the same folder again removes the files of deleted entries.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade export brain
  selfmade export brain-before --at 12     as it was at revision 12
  selfmade import brain                    read it back")]
pub(crate) struct Arguments {
    /// A new or empty folder, or the folder of an earlier export
    dir: PathBuf,
    /// The brain as it was at this revision
    #[arg(long, value_name = "REVISION")]
    at: Option<Revision>,
}

#[derive(Default)]
struct Changed {
    written: Vec<String>,
    removed: Vec<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let folder = &arguments.dir;
    brain_folder::check(folder)?;
    let progress = Progress::start(&session.output, "reading the brain");
    let exported = brain.export(arguments.at).await?;
    let revision = exported.revision;
    let files: Vec<TextFile> =
        exported.files.into_iter().map(brain_folder::inside).collect::<Result<_, _>>()?;
    progress.say(format!("writing {} files", files.len()));
    let changed = write(folder, &files)?;
    drop(progress);

    let entries = files.len() - 1;
    let document = json!({
        "folder": folder, "revision": revision, "entries": entries,
        "written": changed.written, "removed": changed.removed,
    });
    session.output.answer(&document, |_| {
        let written = changed.written.iter().map(|path| format!("wrote {path}\n"));
        written.chain(changed.removed.iter().map(|path| format!("removed {path}\n"))).collect()
    })?;
    let entries = counted(entries, "entry");
    session.output.note(format!("`{}` holds the brain at revision {revision}: {entries}", folder.display()));
    Ok(Exit::Done)
}

/// Writes what differs, then removes what is no more.
fn write(folder: &Path, files: &[TextFile]) -> Result<Changed, Error> {
    let mut changed = Changed::default();
    for file in files {
        if brain_folder::write(folder, file)? {
            changed.written.push(file.path.clone());
        }
    }
    let kept: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    for kind in EntryKind::ALL {
        changed.removed.extend(remove_stale(folder, kind, &kept)?);
    }
    Ok(changed)
}

fn remove_stale(folder: &Path, kind: EntryKind, kept: &HashSet<&str>) -> Result<Vec<String>, Error> {
    let ending = if kind == EntryKind::Function { ".py" } else { ".json" };
    let part = folder.join(format!("{kind}s"));
    if !part.is_dir() {
        return Ok(Vec::new());
    }
    let mut removed = Vec::new();
    for name in files::names(&part, &[ending])? {
        let path = format!("{kind}s/{name}");
        if kept.contains(path.as_str()) {
            continue;
        }
        brain_folder::remove(folder, &path)?;
        removed.push(path);
    }
    Ok(removed)
}
