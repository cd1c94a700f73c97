//! `selfmade fn edit`: the live Version as a file in an editor, and what was made of it as a new Version.

use std::path::Path;

use model::changeset::document;
use model::name::EntryName;
use server::app::functions::Which;
use server::app::packs::TextFile;

use super::add::change;
use super::name;
use crate::client::{Brain, Changes};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::editor;
use crate::views::applied::{self, Submission};

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
    #[command(flatten)]
    submission: Submission,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let name = name(&arguments.name)?;
    let view = brain.function(&name, Which::Live).await?;
    let before = document::text(&view.version.content);
    let file = format!("{name}.py");
    let edited = async |bytes| {
        let edited = TextFile { path: file.clone(), bytes };
        store(session, brain, &name, edited, arguments.submission).await
    };
    let again = |kept: &Path| format!("{} fn add {} --name {name}", session.settings.program, kept.display());
    let done = editor::edit(session, &file, &before, edited, again).await?;
    Ok(done.unwrap_or_else(|| {
        session.output.note(format!("the file was not changed, so `{name}` stays the same"));
        Exit::Done
    }))
}

async fn store(
    session: &Session,
    brain: &Brain,
    name: &EntryName,
    edited: TextFile,
    submission: Submission,
) -> Result<Exit, Error> {
    let changes = Changes { title: None, changes: vec![change(edited, Some(name.clone()), None)?] };
    applied::submit(session, brain, &changes, submission).await
}
