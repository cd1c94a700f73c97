//! `selfmade token rm`.

use serde_json::json;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

/// Delete a token, which stops working at once
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade token rm ci")]
pub(crate) struct Arguments {
    name: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let name = &arguments.name;
    brain.remove_token(name).await?;
    session.output.answer(&json!({ "name": name }), |_| String::new())?;
    session.output.note(format!("token `{name}` is deleted"));
    Ok(Exit::Done)
}
