//! `selfmade export`: the brain as a folder of files that lives well in git.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use model::entry::EntryKind;
use model::revision::Revision;
use serde_json::json;
use server::app::folder::MARK;
use server::app::packs::TextFile;
use server::http::FileBody;

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
    check(folder)?;
    let progress = Progress::start(&session.output, "reading the brain");
    let exported = brain.export(arguments.at).await?;
    let revision = exported.revision;
    let files: Vec<TextFile> = exported.files.into_iter().map(file).collect::<Result<_, _>>()?;
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

/// Nothing outside the folder is written, whatever a server says.
fn file(body: FileBody) -> Result<TextFile, Error> {
    let path = body.path.clone();
    let is_inside = Path::new(&path).components().all(|part| matches!(part, Component::Normal(_)));
    let file = body.file().filter(|_| is_inside);
    file.ok_or_else(|| Error::Input {
        problem: format!("the server sent an unsafe file path `{path}`"),
        hint: "check that it is a server you trust; nothing was written".to_owned(),
    })
}

/// Someone's own folder is not written into by mistake.
fn check(folder: &Path) -> Result<(), Error> {
    let mut entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            return Err(Error::Input {
                problem: format!("`{}` is a file; a brain is exported to a folder", folder.display()),
                hint: "choose a new folder".to_owned(),
            });
        }
        Err(source) => return Err(Error::read(folder, source)),
    };
    // A repository that was just made is as good as empty.
    let is_visible = |entry: &std::fs::DirEntry| entry.file_name() != ".git";
    if entries.any(|entry| entry.is_ok_and(|entry| is_visible(&entry))) && !folder.join(MARK).is_file() {
        return Err(Error::Input {
            problem: format!(
                "`{}` is not empty and is not an exported brain (it has no `{MARK}`)",
                folder.display()
            ),
            hint: "choose a new or empty folder; nothing was written".to_owned(),
        });
    }
    Ok(())
}

/// Writes what differs, then removes what is no more.
fn write(folder: &Path, files: &[TextFile]) -> Result<Changed, Error> {
    let mut changed = Changed::default();
    for file in files {
        let path = folder.join(&file.path);
        if std::fs::read(&path).is_ok_and(|bytes| bytes == file.bytes) {
            continue;
        }
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(|source| Error::write(parent, source))?;
        std::fs::write(&path, &file.bytes).map_err(|source| Error::write(&path, source))?;
        changed.written.push(file.path.clone());
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
        let full = folder.join(&path);
        std::fs::remove_file(&full).map_err(|source| Error::write(&full, source))?;
        // Folders of prefixes that are gone go too; one that is not empty stays by itself.
        for parent in full.ancestors().skip(1).take_while(|parent| *parent != folder) {
            if std::fs::remove_dir(parent).is_err() {
                break;
            }
        }
        removed.push(path);
    }
    Ok(removed)
}
