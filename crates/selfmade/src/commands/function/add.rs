//! `selfmade fn add`: functions from files, as one Changeset.

use model::name::EntryName;
use server::app::packs::TextFile;

use crate::client::{Brain, Change, Changes};
use crate::error::{Error, Exit};
use crate::files;
use crate::session::Session;
use crate::views::applied::{self, Submission};

/// Add functions, or new versions of them
///
/// A file contains one or more functions: plain Python, or decorated with `@selfmade.function`. In a file with decorators,
/// these are the functions that have one; in any other, those whose names do not begin with an underscore. The constants,
/// helper functions and classes that they use are stored with them. All files make one changeset: either all functions are
/// added, or none.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade fn add greet.py
  selfmade fn add tools.py                all functions of the file
  selfmade fn add a.py b.py --title \"add a and b\"
  selfmade fn add greet.py --name text.greet
  echo 'def one() -> int: return 1' | selfmade fn add -
  selfmade fn add greet.py --propose      look at it first: selfmade changes show")]
pub(crate) struct Arguments {
    /// Python files; - reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Store the file's function under this name, which may have a dotted prefix; the last one if it has several
    #[arg(long)]
    name: Option<String>,
    /// What it does, instead of the first line of its docstring
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    #[command(flatten)]
    submission: Submission,
    /// What the changeset is for
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let several = arguments.files.len() > 1;
    if several && (arguments.name.is_some() || arguments.description.is_some()) {
        return Err(Error::Input {
            problem: "`--name` and `--description` apply to one function, but several files were given"
                .to_owned(),
            hint: "add that file on its own".to_owned(),
        });
    }
    let name = arguments.name.as_deref().map(EntryName::new).transpose().map_err(server::Error::from)?;
    let mut changes = Vec::new();
    for file in &arguments.files {
        let file = files::read_file(file)?;
        changes.push(change(file, name.clone(), arguments.description.clone())?);
    }
    let changes = Changes { title: arguments.title, changes };
    applied::submit(session, brain, &changes, arguments.submission).await
}

pub(super) fn change(
    file: TextFile,
    name: Option<EntryName>,
    description: Option<String>,
) -> Result<Change, Error> {
    match model::python::decode(&file.bytes) {
        Ok(text) => Ok(Change::Function { name, source: text.to_owned(), file: file.path, description }),
        Err(source) => Err(server::Error::Source { file: file.path, source }.into()),
    }
}
