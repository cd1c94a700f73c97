//! Reads what is named on the command line: a file, standard input, or a folder with all that belongs to it. How much
//! is read is bounded, and nothing outside the named folder is.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use model::graph::exchange::MAX_FILE_BYTES as MAX_GRAPH_BYTES;
use server::app::packs::TextFile;

use crate::error::Error;

/// Standard input, where a file is asked for.
pub(crate) const STDIN: &str = "-";

/// More than any text that is accepted, so that what is too long is refused by its own rule, with its true length.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Bounds of a folder: a brain of a million entries, and no more memory than a small machine has.
const MAX_FILES: usize = 1_000_000;
const MAX_FOLDER_BYTES: usize = 1 << 30;
const MAX_DEPTH: usize = 32;

/// One file, or standard input.
pub(crate) fn read_file(name: &str) -> Result<TextFile, Error> {
    read_up_to(name, MAX_FILE_BYTES)
}

/// A graph file, which may be larger than any source.
pub(crate) fn read_graph(name: &str) -> Result<Vec<u8>, Error> {
    Ok(read_up_to(name, MAX_GRAPH_BYTES as u64)?.bytes)
}

fn read_up_to(name: &str, most: u64) -> Result<TextFile, Error> {
    if name == STDIN {
        let bytes = bounded(std::io::stdin().lock(), "standard input", most)?;
        return Ok(TextFile { path: "<stdin>".to_owned(), bytes });
    }
    let path = Path::new(name);
    if path.is_dir() {
        return Err(Error::Input {
            problem: format!("`{name}` is a folder, not a file"),
            hint: format!(
                "choose a file in it; a folder of functions is loaded with `selfmade pack load {name}`"
            ),
        });
    }
    Ok(TextFile { path: name.to_owned(), bytes: open(path, most)? })
}

/// The text of one file, or of standard input.
pub(crate) fn read_text(name: &str) -> Result<String, Error> {
    String::from_utf8(read_file(name)?.bytes).map_err(|_| Error::Input {
        problem: format!("`{name}` is not UTF-8 text"),
        hint: "save it as UTF-8".to_owned(),
    })
}

/// A file as it is.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    open(path, MAX_FILE_BYTES)
}

fn open(path: &Path, most: u64) -> Result<Vec<u8>, Error> {
    let file = File::open(path).map_err(|source| Error::read(path, source))?;
    bounded(file, &format!("`{}`", path.display()), most)
}

fn bounded(reader: impl Read, what: &str, most: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = reader.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|source| Error::Read { what: what.to_owned(), source })?;
    if bytes.len() as u64 > most {
        return Err(Error::Input {
            problem: format!("{what} has more than {most} bytes"),
            hint: "check that this is the right file".to_owned(),
        });
    }
    Ok(bytes)
}

/// The files of a folder that end in one of these, in order; hidden ones and caches are left out.
pub(crate) fn read_folder(folder: &Path, endings: &[&str]) -> Result<Vec<TextFile>, Error> {
    let mut files = Vec::new();
    let mut total = 0;
    for (path, file) in walk(folder, endings)? {
        let bytes = read(&file)?;
        total += bytes.len();
        if total > MAX_FOLDER_BYTES {
            return Err(too_much(folder, &format!("more than {MAX_FOLDER_BYTES} bytes in files")));
        }
        files.push(TextFile { path, bytes });
    }
    Ok(files)
}

/// Their paths inside the folder alone.
pub(crate) fn names(folder: &Path, endings: &[&str]) -> Result<Vec<String>, Error> {
    Ok(walk(folder, endings)?.into_iter().map(|(path, _)| path).collect())
}

fn walk(folder: &Path, endings: &[&str]) -> Result<Vec<(String, PathBuf)>, Error> {
    let root = folder.canonicalize().map_err(|source| Error::read(folder, source))?;
    let mut walk = Walk { root, endings, found: Vec::new() };
    walk.visit(folder, "", 0)?;
    walk.found.sort();
    Ok(walk.found)
}

struct Walk<'a> {
    root: PathBuf,
    endings: &'a [&'a str],
    /// The path inside the folder, with forward slashes, and the path to open.
    found: Vec<(String, PathBuf)>,
}

impl Walk<'_> {
    fn visit(&mut self, folder: &Path, inside: &str, depth: usize) -> Result<(), Error> {
        if depth > MAX_DEPTH {
            return Err(too_much(&self.root, &format!("folders nested more than {MAX_DEPTH} deep")));
        }
        for entry in std::fs::read_dir(folder).map_err(|source| Error::read(folder, source))? {
            let entry = entry.map_err(|source| Error::read(folder, source))?;
            // A name that is not Unicode cannot be one of ours.
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('.') || name == "__pycache__" {
                continue;
            }
            let (path, inside) = (entry.path(), format!("{inside}{name}"));
            let kind = entry.file_type().map_err(|source| Error::read(&path, source))?;
            if kind.is_dir() {
                self.visit(&path, &format!("{inside}/"), depth + 1)?;
            } else if self.wants(&name) && (kind.is_file() || (kind.is_symlink() && self.is_inside(&path))) {
                self.found.push((inside, path));
                if self.found.len() > MAX_FILES {
                    return Err(too_much(&self.root, &format!("more than {MAX_FILES} files")));
                }
            }
        }
        Ok(())
    }

    fn wants(&self, name: &str) -> bool {
        self.endings.iter().any(|ending| name.ends_with(ending))
    }

    /// Whether a link leads to a file of this folder. Linked folders are never followed.
    fn is_inside(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|target| target.starts_with(&self.root) && target.is_file())
    }
}

fn too_much(folder: &Path, what: &str) -> Error {
    Error::Input {
        problem: format!("`{}` has {what}", folder.display()),
        hint: "check that this is the right folder, or load its parts one by one".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, write};

    fn found(folder: &Path) -> Vec<String> {
        read_folder(folder, &[".py"]).unwrap().into_iter().map(|file| file.path).collect()
    }

    #[test]
    fn hidden_files_caches_and_other_files_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.py", "a/c.py", "a/__pycache__/c.py", ".git/x.py", ".hidden.py", "README.md"] {
            let path = folder.path().join(name);
            create_dir_all(path.parent().unwrap()).unwrap();
            write(path, "").unwrap();
        }
        assert_eq!(found(folder.path()), ["a/c.py", "b.py"]);
    }

    #[test]
    #[cfg(unix)]
    fn links_are_followed_to_files_of_the_folder_only() {
        use std::os::unix::fs::symlink;
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write(folder.path().join("a.py"), "").unwrap();
        write(outside.path().join("secret.py"), "").unwrap();
        symlink(folder.path().join("a.py"), folder.path().join("inside.py")).unwrap();
        symlink(outside.path().join("secret.py"), folder.path().join("outside.py")).unwrap();
        symlink(outside.path(), folder.path().join("folder")).unwrap();
        symlink(folder.path(), folder.path().join("round")).unwrap();
        assert_eq!(found(folder.path()), ["a.py", "inside.py"]);
    }
}
