//! `selfmade graph edit`: the live Version as JSON in an editor, and what was made of it as a new Version.

use std::path::Path;

use model::name::EntryName;
use model::version::VersionNumber;

use crate::client::{Brain, Change, Changes};
use crate::commands::graph::show::content;
use crate::commands::graph::{file, name};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::editor;
use crate::views::applied;

/// Edit a graph as JSON in your editor
///
/// Leave the file unchanged to change nothing. If it cannot be stored, or somebody changed the graph meanwhile, the file is
/// kept and its path is printed. For small edits, and to edit it together with others, see `graph patch`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph edit news
  EDITOR='code --wait' selfmade graph edit news")]
pub(crate) struct Arguments {
    name: String,
    /// Propose the changeset instead of applying it
    #[arg(long)]
    propose: bool,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let name = name(&arguments.name)?;
    let view = brain.graph(&name, None).await?;
    let live = view.version.head.number;
    let before = serde_json::to_string_pretty(&content(&view)).map_err(|source| Error::Json { source })?;
    let store = async |bytes| store(session, brain, &name, live, bytes, arguments.propose).await;
    let again =
        |kept: &Path| format!("{} graph add {} --name {name}", session.settings.program, kept.display());
    let done = editor::edit(session, &format!("{name}.json"), &(before + "\n"), store, again).await?;
    Ok(done.unwrap_or_else(|| {
        session.output.note(format!("the file was not changed, so `{name}` stays the same"));
        Exit::Done
    }))
}

async fn store(
    session: &Session,
    brain: &Brain,
    name: &EntryName,
    live: VersionNumber,
    bytes: Vec<u8>,
    propose: bool,
) -> Result<Exit, Error> {
    let text = String::from_utf8_lossy(&bytes);
    let graph = file::graph_of(&format!("{name}.json"), &text)?;
    if propose {
        let change = Change::Graph { name: name.clone(), graph: Box::new(graph) };
        let view = brain.propose(&Changes { title: None, changes: vec![change] }).await?;
        return applied::proposed(&session.output, &session.settings.program, &view);
    }
    applied::show(&session.output, &brain.put_graph(name, &graph, live).await?)?;
    Ok(Exit::Done)
}
