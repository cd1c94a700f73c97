//! `selfmade graph upgrades`: nodes that pin an older version than the live one.

use serde_json::json;

use super::name;
use super::source::Source;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::upgrades;

/// List nodes that pin an older version of what they call, and how the pins differ
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade graph upgrades news
  selfmade graph upgrade news fetch      move the node `fetch` to the live version, in the draft")]
pub(crate) struct Arguments {
    name: String,
    #[command(flatten)]
    source: Source,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let name = name(&arguments.name)?;
    let found = brain.graph_upgrades(&name, arguments.source.which()).await?;
    session.output.answer(&json!({ "upgrades": found }), |_| upgrades::lines(&found))?;
    if found.is_empty() {
        session.output.note("every node that pins a version pins the live one");
    } else {
        let program = &session.settings.program;
        session.output.hint(format!(
            "`{program} graph upgrade {name} NODE…` moves nodes to the live versions, in the draft"
        ));
    }
    Ok(Exit::Done)
}
