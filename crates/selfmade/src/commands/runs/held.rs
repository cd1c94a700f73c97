//! `selfmade runs held`: what of a run stands at breakpoints.

use serde_json::json;

use super::Reference;
use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;
use crate::views::held;

/// Show what of a run stands at breakpoints, with its values
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  selfmade runs held 391ab633
  selfmade runs held 391ab633 --json | jq '.held[].input'")]
pub(crate) struct Arguments {
    /// The id of the run, or the beginning or end of it
    #[arg(value_name = "ID")]
    run: Reference,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let id = arguments.run.id(brain).await?;
    let held = brain.held(id).await?;
    session.output.answer(&json!({ "held": held }), |_| held::lines(&held))?;
    if held.is_empty() {
        session.output.note("nothing of it stands at a breakpoint");
    } else {
        let (program, id) = (&session.settings.program, server::app::runs::ids::short(id));
        session.output.hint(format!("`{program} runs release {id}` lets it go on"));
    }
    Ok(Exit::Done)
}
