//! `selfmade secret rm`.

use serde_json::json;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Delete a secret
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade secret rm openai_api_key")]
pub(crate) struct Arguments {
    name: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let name = &arguments.name;
    brain.remove_secret(name).await?;
    session.output.answer(&json!({ "name": name }), |_| String::new())?;
    session.output.note(format!("secret `{name}` is deleted"));
    Ok(Exit::Done)
}
