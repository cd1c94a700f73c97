//! `selfmade fn edit`: the live Version as a file in an editor, and what was made of it as a new Version.

use std::ffi::OsStr;
use std::path::Path;

use model::document;
use server::app::drafts::Proposal;
use server::app::functions::{self, Which, read_function};

use super::key;
use crate::applied;
use crate::error::{Error, Exit};
use crate::files;
use crate::session::{Brain, Session};

/// Edit a function in your editor
///
/// The file has everything that belongs to the function: its grants, tests and source. Leave it as it is to change
/// nothing. If it cannot be stored, the text is kept and you are told where.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade fn edit greet
  EDITOR='code --wait' selfmade fn edit greet")]
pub(crate) struct Arguments {
    name: String,
    /// Propose the changeset instead of applying it
    #[arg(long)]
    propose: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let key = key(&arguments.name)?;
    let version = functions::version(&brain.ctx, &key, Which::Live).await?;
    let before = document::text(&version.content);
    let folder = tempfile::Builder::new().prefix("selfmade-edit-").tempdir();
    let folder = folder.map_err(|source| Error::Write { what: "a temporary folder".to_owned(), source })?;
    let file = folder.path().join(format!("{}.py", key.name));
    std::fs::write(&file, &before).map_err(|source| Error::write(&file, source))?;

    let edited = session
        .interrupts
        .ignoring(|| open_editor(&session.settings.editor, &file))
        .and_then(|()| files::read(&file));
    let done = match edited {
        Ok(bytes) if bytes == before.as_bytes() => {
            session.output.note(format!("nothing was changed, so `{}` stays as it is", key.name));
            return Ok(Exit::Done);
        }
        Ok(bytes) => store(session, brain, &arguments, &bytes, &file).await,
        Err(error) => Err(error),
    };
    done.map_err(|source| {
        let kept = folder.keep().join(format!("{}.py", key.name));
        let again = format!("{} fn add {} --name {}", session.settings.program, kept.display(), key.name);
        Error::Edited { kept, again, source: Box::new(source) }
    })
}

async fn store(
    session: &Session,
    brain: &Brain,
    arguments: &Arguments,
    bytes: &[u8],
    file: &Path,
) -> Result<Exit, Error> {
    let file = file.file_name().unwrap_or_default().to_string_lossy();
    let text = model::python::decode(bytes)
        .map_err(|source| server::Error::Source { file: file.to_string(), source })?;
    let key = key(&arguments.name)?;
    let intent = read_function(text, &file, Some(&key.name))?;
    applied::submit(session, brain, &Proposal::of("", vec![intent]), arguments.propose).await
}

/// The editor is a command with arguments, for the shell to take apart, as everywhere else.
#[allow(clippy::disallowed_methods, reason = "this is the editor of `fn edit`")]
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
