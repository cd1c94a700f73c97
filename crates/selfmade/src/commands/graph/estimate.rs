//! `selfmade graph estimate`: how long a run will take.

use super::name;
use super::source::Source;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::estimate;

/// Estimate how long a run of a graph takes, from recorded runs of what it calls
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph estimate news
  selfmade graph estimate news --draft
  selfmade run news --estimate            the same; it does not run")]
pub(crate) struct Arguments {
    name: String,
    #[command(flatten)]
    source: Source,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let name = name(&arguments.name)?;
    let estimated = brain.estimate_graph(&name, arguments.source.which()).await?;
    estimate::show(&session.output, &estimated)?;
    Ok(Exit::Done)
}
