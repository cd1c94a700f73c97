//! `selfmade warm`: what functions need to run is made before they run.

use model::name::EntryName;
use serde_json::json;
use server::app::functions::warming::Warmed;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::terminal::style::{DIM, paint, printable};
use crate::views::run::Live;

/// Prepare the environments of functions
///
/// The packages of each are downloaded and installed once, so that its first run does not wait for them. Warm
/// processes belong to the server: `serve --warm NAME` starts those too.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade warm plot report
  selfmade serve --warm plot       and keep processes warm")]
pub(crate) struct Arguments {
    /// The functions
    #[arg(required = true)]
    names: Vec<EntryName>,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let warmed = warm(session, brain, &arguments.names).await?;
    session.output.answer(&json!({ "environments": warmed }), |_| warmed.iter().map(line).collect())?;
    session.output.note("environments are ready; `serve --warm` also keeps processes warm");
    Ok(Exit::Done)
}

/// Shows how it goes.
pub(crate) async fn warm(
    session: &Session,
    brain: &Brain,
    names: &[EntryName],
) -> Result<Vec<Warmed>, Error> {
    let mut events = brain.warm(names).await?;
    Live::new(&session.output).shown(brain, &mut events).await
}

fn line(warmed: &Warmed) -> String {
    let packages =
        if warmed.packages.is_empty() { "no packages".to_owned() } else { warmed.packages.join(", ") };
    format!("{}  {}\n", printable(&warmed.functions.join(", ")), paint(DIM, packages))
}
