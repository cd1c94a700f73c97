//! A text in the editor of the person, and what became of it.

use std::ffi::OsStr;
use std::path::Path;

use crate::error::{Error, Exit};
use crate::files;
use crate::session::Session;

/// Stores what was made of a text; nothing if it was left as it is. What cannot be stored is kept as a file, and `again` is the
/// command that stores it.
pub(crate) async fn edit(
    session: &Session,
    name: &str,
    before: &str,
    store: impl AsyncFnOnce(Vec<u8>) -> Result<Exit, Error>,
    again: impl FnOnce(&Path) -> String,
) -> Result<Option<Exit>, Error> {
    let folder = tempfile::Builder::new().prefix("selfmade-edit-").tempdir();
    let folder = folder.map_err(|source| Error::Write { what: "a temporary folder".to_owned(), source })?;
    let file = folder.path().join(name);
    std::fs::write(&file, before).map_err(|source| Error::write(&file, source))?;

    let edited = session
        .interrupts
        .ignoring(|| open_editor(&session.settings.editor, &file))
        .and_then(|()| files::read(&file));
    let done = match edited {
        Ok(bytes) if bytes == before.as_bytes() => return Ok(None),
        Ok(bytes) => store(bytes).await,
        Err(error) => Err(error),
    };
    done.map(Some).map_err(|source| {
        let kept = folder.keep().join(name);
        Error::Edited { again: again(&kept), kept, source: Box::new(source) }
    })
}

/// The editor is a command with arguments, for the shell to take apart, as everywhere else.
#[allow(clippy::disallowed_methods, reason = "this is the editor of `fn edit` and `graph edit`")]
fn open_editor(editor: &OsStr, file: &Path) -> Result<(), Error> {
    let name = editor.to_string_lossy().into_owned();
    let mut script = editor.to_owned();
    script.push(" \"$1\"");
    let status = std::process::Command::new("sh").arg("-c").arg(script).arg("sh").arg(file).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Error::Editor { editor: name, how: format!("ended with {status}") }),
        Err(error) => Err(Error::Editor { editor: name, how: format!("cannot be started: {error}") }),
    }
}
