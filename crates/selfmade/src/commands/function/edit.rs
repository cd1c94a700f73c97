//! `selfmade fn edit`: the live Version as a file in an editor, and what was made of it as a new Version.

use std::ffi::OsStr;
use std::path::Path;

use model::changeset::document;
use model::name::EntryName;
use server::app::functions::Which;
use server::app::packs::TextFile;

use super::add::change;
use super::name;
use crate::client::{Brain, Changes};
use crate::error::{Error, Exit};
use crate::files;
use crate::session::Session;
use crate::views::applied;

/// Edit a function in your editor
///
/// The file contains the whole function: its grants, tests and source. Leave it unchanged to change
/// nothing. If it cannot be stored, the file is kept and its path is printed.
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
    let name = name(&arguments.name)?;
    let view = brain.function(&name, Which::Live).await?;
    let before = document::text(&view.version.content);
    let folder = tempfile::Builder::new().prefix("selfmade-edit-").tempdir();
    let folder = folder.map_err(|source| Error::Write { what: "a temporary folder".to_owned(), source })?;
    let file = folder.path().join(format!("{name}.py"));
    std::fs::write(&file, &before).map_err(|source| Error::write(&file, source))?;

    let edited = session
        .interrupts
        .ignoring(|| open_editor(&session.settings.editor, &file))
        .and_then(|()| files::read(&file));
    let done = match edited {
        Ok(bytes) if bytes == before.as_bytes() => {
            session.output.note(format!("the file was not changed, so `{name}` stays the same"));
            return Ok(Exit::Done);
        }
        Ok(bytes) => {
            let edited = TextFile { path: format!("{name}.py"), bytes };
            store(session, brain, &name, edited, arguments.propose).await
        }
        Err(error) => Err(error),
    };
    done.map_err(|source| {
        let kept = folder.keep().join(format!("{name}.py"));
        let again = format!("{} fn add {} --name {name}", session.settings.program, kept.display());
        Error::Edited { kept, again, source: Box::new(source) }
    })
}

async fn store(
    session: &Session,
    brain: &Brain,
    name: &EntryName,
    edited: TextFile,
    propose: bool,
) -> Result<Exit, Error> {
    let changes = Changes { title: None, changes: vec![change(edited, Some(name.clone()), None)?] };
    applied::submit(session, brain, &changes, propose).await
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
