//! `selfmade graph draw`: a picture of a graph.

use std::path::PathBuf;

use serde_json::json;

use super::name;
use super::source::Source;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Where the width of the terminal is not known.
const COLUMNS: usize = 80;

/// Draw a graph: as text, or as SVG
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph draw news
  selfmade graph draw news --svg -o news.svg
  selfmade graph draw news --draft")]
pub(crate) struct Arguments {
    name: String,
    /// As SVG
    #[arg(long)]
    svg: bool,
    /// Write it to this file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    source: Source,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let name = name(&arguments.name)?;
    let columns = session.output.screen.width.filter(|_| arguments.output.is_none()).unwrap_or(COLUMNS);
    let drawn = brain.draw_graph(&name, arguments.source.which(), arguments.svg, columns).await?;
    match &arguments.output {
        Some(file) => {
            std::fs::write(file, &drawn).map_err(|source| Error::write(file, source))?;
            session.output.note(format!("`{name}` was drawn to `{}`", file.display()));
        }
        None if session.output.json => {
            session.output.answer(&json!({ "drawing": drawn }), |_| String::new())?;
        }
        None => session.output.raw(&drawn)?,
    }
    Ok(Exit::Done)
}
