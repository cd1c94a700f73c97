//! `selfmade model rm`.

use model::llm::LlmName;
use serde_json::json;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Remove a language model
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade model rm local")]
pub(crate) struct Arguments {
    name: LlmName,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: &Arguments) -> Result<Exit, Error> {
    let name = &arguments.name;
    brain.remove_model(name).await?;
    session.output.answer(&json!({ "name": name }), |_| String::new())?;
    session.output.note(format!("model `{name}` is removed; its key stays where it is"));
    Ok(Exit::Done)
}
