//! `selfmade graph list`: what is there, now or then.

use model::revision::Revision;
use serde_json::json;

use crate::client::Brain;
use crate::commands::function::list::table;
use crate::error::{Error, Exit};
use crate::session::Session;

/// List graphs by name
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph list
  selfmade graph list --limit 10 --after news
  selfmade graph list --at 12           the brain as it was at revision 12")]
pub(crate) struct Arguments {
    /// The brain as it was at this revision
    #[arg(long, value_name = "REVISION")]
    at: Option<Revision>,
    /// How many to show
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    limit: u32,
    /// Only names after this one
    #[arg(long, value_name = "NAME")]
    after: Option<String>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    // One more than is shown tells whether there are more.
    let wanted = arguments.limit as usize + 1;
    let mut found = brain.graphs(arguments.after.as_deref(), arguments.at, wanted).await?;
    let more = found.len() == wanted;
    found.truncate(arguments.limit as usize);
    let next = more.then(|| found.last().map(|last| last.key.name.to_string())).flatten();

    session.output.answer(&json!({ "graphs": found, "next": next }), |screen| table(&found, screen))?;
    match next {
        Some(last) => session.output.note(format!("there are more; `--after {last}` shows them")),
        None if found.is_empty() => session.output.note("there are none"),
        None => {}
    }
    Ok(Exit::Done)
}
