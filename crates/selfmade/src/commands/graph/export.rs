//! `selfmade graph export`: a graph as a file, with those that it calls.

use std::path::PathBuf;

use model::graph::exchange::Format;
use model::name::EntryName;

use super::name;
use super::source::Source;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::style::printable;
use crate::views::findings;

/// Export a graph to a file, with the graphs that it calls
///
/// Secrets are left out. What the format cannot say is reported.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph export news -o news.json
  selfmade graph export news --format agent -o agent.json     for today's AutoGPT
  selfmade graph export news --version 2")]
pub(crate) struct Arguments {
    name: String,
    /// The form of the file: selfmade, graph2024 (AutoGPT's server of 2024) or agent (today's AutoGPT)
    #[arg(long, default_value = "selfmade", value_parser = format, hide_possible_values = true)]
    format: Format,
    /// Write it to this file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    source: Source,
}

fn format(text: &str) -> Result<Format, String> {
    match text {
        "selfmade" => Ok(Format::Selfmade),
        "graph2024" => Ok(Format::Graph2024),
        "agent" => Ok(Format::Agent),
        _ => Err("use selfmade, graph2024 or agent".to_owned()),
    }
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let name: EntryName = name(&arguments.name)?;
    let exported = brain.export_graph(&name, arguments.source.which(), arguments.format).await?;
    let mut text = serde_json::to_string_pretty(&exported.file).map_err(|source| Error::Json { source })?;
    text.push('\n');
    match &arguments.output {
        Some(file) => {
            std::fs::write(file, &text).map_err(|source| Error::write(file, source))?;
            session.output.note(format!("`{name}` was written to `{}`", file.display()));
        }
        // With `--json`, too: the file is JSON.
        None => session.output.raw(&text)?,
    }
    let notes: Vec<String> =
        exported.notes.iter().map(|note| format!("  {}\n", printable(&note.to_string()))).collect();
    findings::section(&session.output, &notes, "note", "notes");
    for name in &exported.left_out {
        session.output.warning(format!("`{name}` is not in the file, because you may not read it"));
    }
    Ok(Exit::Done)
}
