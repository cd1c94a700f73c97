//! A brain as a folder on this machine: what is written into it stays inside it, and nobody's own folder is taken for one.

use std::path::{Component, Path};

use server::app::folder::MARK;
use server::app::packs::TextFile;
use server::http::FileBody;

use crate::error::Error;

/// Nothing outside the folder is written, whatever a server says.
pub(crate) fn inside(body: FileBody) -> Result<TextFile, Error> {
    let path = body.path.clone();
    let is_inside = Path::new(&path).components().all(|part| matches!(part, Component::Normal(_)));
    let file = body.file().filter(|_| is_inside);
    file.ok_or_else(|| Error::Input {
        problem: format!("the server sent an unsafe file path `{path}`"),
        hint: "check that it is a server you trust; nothing was written".to_owned(),
    })
}

/// Someone's own folder is not written into by mistake.
pub(crate) fn check(folder: &Path) -> Result<(), Error> {
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

/// Writes a file, with the folders it is in. False if it was there already, byte for byte.
pub(crate) fn write(folder: &Path, file: &TextFile) -> Result<bool, Error> {
    let path = folder.join(&file.path);
    if std::fs::read(&path).is_ok_and(|bytes| bytes == file.bytes) {
        return Ok(false);
    }
    let parent = path.parent().unwrap_or(folder);
    std::fs::create_dir_all(parent).map_err(|source| Error::write(parent, source))?;
    std::fs::write(&path, &file.bytes).map_err(|source| Error::write(&path, source))?;
    Ok(true)
}

/// Removes a file, and folders of prefixes that are empty then.
pub(crate) fn remove(folder: &Path, path: &str) -> Result<(), Error> {
    let full = folder.join(path);
    std::fs::remove_file(&full).map_err(|source| Error::write(&full, source))?;
    // One that is not empty stays by itself.
    for parent in full.ancestors().skip(1).take_while(|parent| *parent != folder) {
        if std::fs::remove_dir(parent).is_err() {
            break;
        }
    }
    Ok(())
}
