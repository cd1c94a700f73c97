//! `selfmade graph patch`: small edits of the draft of a graph.

use model::graph::check::Problem;
use model::name::EntryName;
use server::app::graphs::drafts::DraftEdited;

use super::patches::Patches;
use crate::client::Brain;
use crate::commands::graph::{file, name};
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::style::printable;
use crate::views::{graph_diff, graph_problems};

/// Edit the draft of a graph
///
/// The first edit begins the draft, with the live version or with nothing. All edits of one command are made together or not
/// at all: those of the file first, then those of the options, in this order: add, rename, set, unset, connect, disconnect,
/// move, remove. It prints what changed, how the draft differs from the version that it began with, and what is wrong with it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph patch news --add each=@iterate --connect fetch.output=each.items
  selfmade graph patch news --set fetch.url=https://example.org/feed
  selfmade graph patch news patches.json
  selfmade graph patch news --edit 4 --unset fetch.limit      only if nobody edited `fetch` after edit 4
  selfmade graph apply news --edit 5                          make it the live version")]
pub(crate) struct Arguments {
    name: String,
    /// A JSON file with a list of patches; - reads standard input
    file: Option<String>,
    /// The last edit that you have seen: if a later one touched the same nodes, nothing is changed
    #[arg(long, value_name = "N")]
    edit: Option<u64>,
    #[command(flatten)]
    patches: Patches,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let name = name(&arguments.name)?;
    let mut patches = arguments.file.as_deref().map(file::patches).transpose()?.unwrap_or_default();
    patches.extend(arguments.patches.read()?);
    if patches.is_empty() {
        return Err(Error::Input {
            problem: "there is nothing to edit".to_owned(),
            hint: "name a file with patches, or an edit such as `--set ID.PIN=VALUE`".to_owned(),
        });
    }
    let edited = brain.patch_graph(&name, &patches, arguments.edit).await?;
    show(session, &name, &edited, None)?;
    Ok(Exit::Done)
}

/// What an edit did. `made` is the draft of another graph that it made.
pub(in crate::commands::graph) fn show(
    session: &Session,
    name: &EntryName,
    edited: &DraftEdited,
    made: Option<&EntryName>,
) -> Result<(), Error> {
    let output = &session.output;
    output.answer(edited, |_| {
        let mut out: String =
            edited.changes.iter().map(|change| format!("{}\n", printable(&change.what))).collect();
        for part in [graph_diff::lines(&edited.diff), graph_problems::lines(&edited.problems)] {
            if !part.is_empty() {
                out.push_str(if out.is_empty() { "" } else { "\n" });
                out.push_str(&part);
            }
        }
        out
    })?;
    output.note(format!("the draft of `{name}` is at edit {}", edited.edit));
    let program = &session.settings.program;
    match made {
        // Alone it has a problem: what was made is not live.
        Some(made) => {
            output.hint(format!(
                "`{made}` is a draft, too; `{program} graph apply {name} --edit {} --with {made}@0` applies both",
                edited.edit
            ));
        }
        None if edited.problems.iter().any(Problem::is_error) => {}
        None => {
            let edit = edited.edit;
            output.hint(format!("`{program} graph apply {name} --edit {edit}` makes it the live version"));
        }
    }
    Ok(())
}
