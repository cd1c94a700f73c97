//! `selfmade preset rm`.

use model::name::EntryName;
use serde_json::json;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Delete a preset
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade preset rm news morning")]
pub(crate) struct Arguments {
    /// The function or graph
    function: EntryName,
    /// The name of the preset
    preset: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let (function, preset) = (&arguments.function, &arguments.preset);
    brain.remove_preset(function, preset).await?;
    session.output.answer(&json!({ "function": function, "preset": preset }), |_| String::new())?;
    session.output.note(format!("preset `{preset}` of `{function}` is deleted"));
    Ok(Exit::Done)
}
