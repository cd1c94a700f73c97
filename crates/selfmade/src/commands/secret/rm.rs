//! `selfmade secret rm`.

use serde_json::json;
use server::app::secrets;

use crate::error::{Error, Exit};
use crate::session::{ACTOR, Brain, Session};

/// Delete a secret
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade secret rm openai_api_key")]
pub(crate) struct Arguments {
    name: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let name = &arguments.name;
    secrets::remove(&brain.ctx, &ACTOR, name).await?;
    session.output.answer(&json!({ "name": name }), |_| String::new())?;
    session.output.note(format!("secret `{name}` is deleted"));
    Ok(Exit::Done)
}
