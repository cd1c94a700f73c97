//! `selfmade session rm`.

use serde_json::json;

use crate::client::Brain;
use crate::error::{Error, Exit};
use crate::session::Session;

/// End a session and sign its browser out
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  selfmade session rm browser-1a2b3c4d5e6f")]
pub(crate) struct Arguments {
    name: String,
}

pub(crate) async fn run(session: &Session, brain: &Brain, arguments: Arguments) -> Result<Exit, Error> {
    let name = &arguments.name;
    brain.end_session(name).await?;
    session.output.answer(&json!({ "name": name }), |_| String::new())?;
    session.output.note(format!("session `{name}` has ended"));
    Ok(Exit::Done)
}
